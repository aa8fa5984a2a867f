import { account, orNull, reference, state, time } from "../../declare/command/answer-schema.ts";
import { command, groupCounts } from "../../declare/command.ts";
import { scopes, usualScopes } from "../../declare/operation.ts";
import Type from "../../declare/schema/type.ts";
import type { Audited } from "../../storage/audited.ts";
import { findAccount } from "../accounts/accounts.ts";
import type { KeyUse } from "../keys/key-uses.ts";
import { type ApiKey, apiKeyOf } from "../keys/keys.ts";

export const keyFacts = {
  id: reference,
  account,
  account_id: Type.String(),
  mode: Type.Enum(["test", "live"]),
  label: Type.String(),
  scopes: Type.Array(Type.String()),
  addresses: Type.Array(Type.String(), { none: "any" }),
  created_at: time,
  expires_at: orNull({ ...time, none: "never" }),
  revoked_at: orNull(time),
  /** Last use, to within a minute. */
  last_used_at: orNull({ ...time, none: "never" }),
  last_used_from: orNull(Type.String()),
  state: state(["active", "expired", "revoked"]),
};

export const KeyFacts = Type.Object(keyFacts);

/** Summarises what a key may do. */
export function mayText({ scopes: own }: { scopes: readonly string[] }): string {
  const isJust = (all: readonly string[]) => own.length === all.length && all.every((each) => own.includes(each));
  if (isJust(scopes)) return "everything";
  return isJust(usualScopes) ? "look-ups and verifications" : own.join(", ");
}

const day = 86_400_000;

/** The groups by which a list of keys can be filtered. */
const groups = {
  live: ({ mode }) => mode === "live",
  test: ({ mode }) => mode === "test",
  ends_soon: ({ state, expires_at }) => state === "active" && expires_at !== null && expires_at < Date.now() + 14 * day,
  not_used_for_30_days: ({ state, last_used_at }) => state === "active" && (last_used_at ?? 0) < Date.now() - 30 * day,
  expired: ({ state }) => state === "expired",
  revoked: ({ state }) => state === "revoked",
} satisfies Record<string, (key: Standing) => boolean>;
type Standing = Awaited<ReturnType<typeof standings>>[number];
type Group = keyof typeof groups;

export const listKeysCommand = command({
  id: "keys.list",
  title: "Keys",
  summary: "List the keys, oldest first, without their secrets.",
  role: "viewer",
  kind: "read",
  actsOnChosen: "keys.revoke-all",
  input: Type.Object({
    account: Type.Optional(Type.String({ description: "Only the keys of this account.", placeholder: "id or e-mail" })),
    only: Type.Optional(Type.Enum(Object.keys(groups) as Group[], { description: "Only these keys." })),
  }),
  answer: Type.Array(KeyFacts),
  page: [
    { name: "label", of: ({ label, mode }) => label || `${mode} key` },
    ...(["account", "mode", "state"] as const),
    { name: "scopes", of: mayText, spare: true },
    ...([
      { name: "id", spare: true },
      { name: "addresses", spare: true },
    ] as const),
    ...([{ name: "expires_at", spare: true }, "last_used_at"] as const),
  ],
  none: "No key yet.",
  noneThen: { says: "A client calls with a key of its account.", by: "keys.create" },
  sort: "-last_used_at",
  columns: [
    ...(["id", "account", "mode", "label", "state", "scopes", "addresses"] as const),
    ...(["expires_at", "last_used_at", "last_used_from"] as const),
  ],
  choiceCounts: async ({ account }, store: Audited, all) =>
    groupCounts(groups, all ?? (await standings(store, account))),
  tab: { count: async ({ account }, store: Audited) => (await standings(store, account)).length },
  examples: [{}, { account: "shop@example.com" }, { only: "ends_soon" }],
  run: async ({ account, only }, store: Audited) => {
    const all = await listed(store, account);
    return only === undefined ? all : all.filter(groups[only]);
  },
});

async function listed({ db }: Audited, account?: string) {
  const of = account === undefined ? undefined : await findAccount(db, account);
  const rows = await db
    .selectFrom("api_key")
    .innerJoin("account", "account.id", "api_key.account_id")
    .leftJoin("key_use", "key_use.key_id", "api_key.id")
    .selectAll("api_key")
    .select(["email", "used_at", "key_use.address as used_from"])
    .$if(of !== undefined, (query) => query.where("account_id", "=", of!.id))
    .orderBy("api_key.created_at")
    .orderBy("api_key.id")
    .execute();
  return rows.map(({ email, used_at, used_from, ...row }) =>
    keyFactsOf(apiKeyOf(row), email, used_at === null ? undefined : { at: used_at, address: used_from! }),
  );
}

/** Reads only the columns that decide which groups each key belongs to. */
async function standings({ db }: Audited, account?: string) {
  const of = account === undefined ? undefined : await findAccount(db, account);
  const rows = await db
    .selectFrom("api_key")
    .leftJoin("key_use", "key_use.key_id", "api_key.id")
    .select(["mode", "expires_at", "revoked_at", "used_at as last_used_at"])
    .$if(of !== undefined, (query) => query.where("account_id", "=", of!.id))
    .execute();
  return rows.map((row) => ({ ...row, state: keyState(row) }));
}

export function keyFactsOf(key: ApiKey, email: string, use?: KeyUse) {
  return {
    ...key,
    account: email,
    last_used_at: use?.at ?? null,
    last_used_from: use?.address ?? null,
    state: keyState(key),
  };
}

/** Tells whether a key is revoked, expired or active. */
export function keyState({
  revoked_at,
  expires_at,
}: Pick<ApiKey, "revoked_at" | "expires_at">): "revoked" | "expired" | "active" {
  if (revoked_at !== null) return "revoked";
  return expires_at !== null && expires_at <= Date.now() ? "expired" : "active";
}
