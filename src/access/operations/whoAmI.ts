import type { Spendable } from "../../declare/account-terms.ts";
import { fixedNaira } from "../../declare/money.ts";
import { type Caller, operation, scopes } from "../../declare/operation.ts";
import Type from "../../declare/schema/type.ts";
import type { RateLimitState } from "../../runtime/rate-limiter.ts";
import type { Db } from "../../storage/tables.ts";

/** The resources of `whoAmI`. */
export interface CallerRoom {
  db: Db;
  /** Returns the state of each rate limit by name, for the caller in this process. Empty if callers are not limited. */
  limitsOf(caller: Caller): Record<string, RateLimitState>;
  spendable(caller: Caller): Promise<Spendable & { renewsAt: number | null }>;
}

const orNull = <Of extends Parameters<typeof Type.Union>[0][number]>(type: Of) => Type.Union([type, Type.Null()]);
const time = Type.String({ format: "date-time" });

const CallerAnswer = Type.Object({
  success: Type.Literal(true),
  status: Type.Literal("success"),
  message: Type.String(),
  data: Type.Object(
    {
      account: Type.Object({ id: Type.String(), name: Type.String() }),
      key: Type.Object({
        id: Type.String({ description: "Public id; the secret is never shown again" }),
        label: Type.String(),
        expires_at: orNull(time),
        addresses: Type.Array(Type.String(), { description: "Addresses and networks it may be used from; empty: any" }),
      }),
      mode: Type.Enum(["test", "live"]),
      scopes: Type.Array(Type.Enum([...scopes])),
      limits: Type.Array(
        Type.Object({
          name: Type.String(),
          requests: Type.Integer({ description: "Requests in each window" }),
          seconds: Type.Integer({ description: "Length of the window" }),
          left: Type.Integer({ description: "Requests that are left in this window, in the process that answers" }),
          resets_in: Type.Integer({ description: "Seconds until the next window" }),
        }),
      ),
      spending: Type.Object({
        prepaid: Type.Boolean({ description: "Verifications are paid from a balance" }),
        cap_naira: orNull(Type.String({ description: "Monthly cap, naira with two decimals" })),
        cap_verifications: orNull(Type.Integer({ description: "Monthly cap of charged verifications" })),
        left_naira: orNull(Type.String({ description: "What is left of the balance or the cap; null: not bounded" })),
        left_verifications: orNull(Type.Integer({ description: "What is left of the cap; null: not bounded" })),
        renews_at: orNull(Type.String({ format: "date-time", description: "When the next month of the cap begins" })),
      }),
    },
    { title: "Caller" },
  ),
});

const timeOf = (at: number | null) => (at === null ? null : new Date(at).toISOString());
const nairaOf = (kobo: number | null) => (kobo === null ? null : fixedNaira(kobo));

export const whoAmI = operation({
  id: "whoAmI",
  method: "GET",
  path: "/api/v2/me",
  summary: "Whose key this is, and what it may do",
  alsoCalled: ["whoami", "account", "profile"],
  description:
    "Names the account and the key of the request, its mode and scopes, when the key expires and from where it may " +
    "be used, how much of each rate limit is left, and what is left of a monthly cap or a prepaid balance. " +
    "Test keys spend nothing, so nothing bounds them.",
  group: "Credentials",
  access: "credential",
  scope: null,
  limit: "catalogue",
  carriage: "query",
  input: Type.Object({}),
  answer: CallerAnswer,
  examples: [
    {
      summary: "A live key with a monthly cap",
      answer: {
        success: true,
        status: "success",
        message: "This is who you are",
        data: {
          account: { id: "acc_7hTq2mXw9Kd", name: "Kobo Pay" },
          key: { id: "5Jq8vN2kYw3R", label: "Checkout", expires_at: null, addresses: ["203.0.113.0/24"] },
          mode: "live",
          scopes: ["catalogue:read", "identity:verify"],
          limits: [{ name: "catalogue", requests: 600, seconds: 60, left: 588, resets_in: 41 }],
          spending: {
            prepaid: false,
            cap_naira: "1500000.00",
            cap_verifications: null,
            left_naira: "1313200.00",
            left_verifications: null,
            renews_at: "2026-01-31T23:00:00.000Z",
          },
        },
      },
    },
  ],
  run: async ({ caller }, { db, limitsOf, spendable }: CallerRoom) => {
    const { accountId, keyId, mode, scopes, terms } = caller!;
    const row = await db
      .selectFrom("api_key")
      .innerJoin("account", "account.id", "api_key.account_id")
      .select(["account.name", "api_key.label", "api_key.expires_at", "api_key.addresses"])
      .where("api_key.id", "=", keyId)
      .executeTakeFirstOrThrow();
    const { kobo, verifications, renewsAt } = await spendable(caller!);
    return {
      success: true as const,
      status: "success" as const,
      message: "This is who you are",
      data: {
        account: { id: accountId, name: row.name },
        key: { id: keyId, label: row.label, expires_at: timeOf(row.expires_at), addresses: JSON.parse(row.addresses) },
        mode,
        scopes: [...scopes],
        limits: Object.entries(limitsOf(caller!)).map(([name, { limit, left, reset }]) => ({
          name,
          requests: limit.count,
          seconds: limit.seconds,
          left,
          resets_in: reset,
        })),
        spending: {
          prepaid: mode === "live" && terms.prepaid === true,
          cap_naira: nairaOf(mode === "live" ? (terms.capKobo ?? null) : null),
          cap_verifications: mode === "live" ? (terms.capCount ?? null) : null,
          left_naira: nairaOf(kobo),
          left_verifications: verifications,
          renews_at: timeOf(renewsAt),
        },
      },
    };
  },
});
