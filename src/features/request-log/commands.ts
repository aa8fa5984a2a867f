import { forEachNegative } from "../../declare/check-kind.ts";
import { account, orNull, reference, time } from "../../declare/command/answer-schema.ts";
import { cursorAt, id, moment, place } from "../../declare/command/forms.ts";
import { flag, formed } from "../../declare/command/read-texts.ts";
import { CommandError, command, mostCounted } from "../../declare/command.ts";
import { type FailureCode, failures } from "../../declare/failures.ts";
import type { Mode } from "../../declare/operation.ts";
import Type from "../../declare/schema/type.ts";
import { count } from "../../declare/setting.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Audited, WithClock } from "../../storage/audited.ts";

interface Room extends Pick<Audited, "db"> {
  accounts: {
    find(idOrEmail: string): Promise<{ id: string }>;
    emails(ids: readonly string[]): Promise<(id: string) => string>;
  };
}

interface KeyRoom extends Pick<Audited, "db">, WithClock {
  config: { timeZone: TimeZone };
}

const entry = Type.Object({
  request_id: reference,
  answered_at: time,
  account,
  mode: Type.String(),
  key_id: reference,
  operation: Type.String(),
  status: Type.Integer(),
  code: orNull(Type.String()),
  duration: Type.Integer({ unit: "ms" }),
  request_reference: orNull(reference),
  /** The cursor of the next older rows. */
  cursor: Type.String(),
});

const scope =
  "The log has each failure and each verification of callers with a key, and a sample of look-ups that succeed. " +
  "It is kept for DUBA_REQUEST_LOG. Integrators read their own with GET /api/v2/requests.";

const listRequestEntries = command({
  id: "requests.list",
  title: "Requests",
  summary: "List the last requests of integrators, newest first.",
  description: scope,
  role: "viewer",
  kind: "read",
  reports: true,
  input: Type.Object({
    request_id: Type.Optional(
      formed(id, {
        description: "Only requests with this X-Request-Id. Callers may choose it and repeat it.",
        placeholder: "id",
        minLength: 1,
      }),
    ),
    account: Type.Optional(
      Type.String({ description: "Only requests of this account.", placeholder: "id or e-mail", minLength: 1 }),
    ),
    failed: flag("Only failures."),
    code: Type.Optional(
      formed(id, { description: "Only failures with this code.", placeholder: "code", minLength: 1 }),
    ),
    operation: Type.Optional(formed(id, { description: "Only requests to this operation.", minLength: 1 })),
    since: Type.Optional(
      formed(moment, { description: `Only requests from this time: ${moment.form}.`, placeholder: "when" }),
    ),
    until: Type.Optional(
      formed(moment, { description: `Only requests before this time: ${moment.form}.`, placeholder: "when" }),
    ),
    limit: formed(count, { description: "Maximum number of requests.", placeholder: "number", default: "50" }),
    cursor: Type.Optional(
      formed(place, { description: "Where to go on: the cursor of the last row before.", placeholder: "cursor" }),
    ),
  }),
  answer: Type.Array(entry),
  columns: [
    ...(["request_id", "answered_at", "account", "mode", "key_id", "operation"] as const),
    ...(["status", "code", "duration", "request_reference"] as const),
  ],
  page: [
    ...(["operation", "status", "code", "account", { name: "duration", spare: true }] as const),
    ...([{ name: "request_id", spare: true }, { name: "request_reference", spare: true }, "answered_at"] as const),
  ],
  tab: {
    count: async ({ account }, { db, accounts }: Room) => {
      const { searchRequests } = await import("./read-requests.ts");
      const { id: accountId } = await accounts.find(account!);
      return (await searchRequests(db, { accountId, limit: mostCounted })).length;
    },
  },
  none: "No requests.",
  noneThen: { says: "The log has a sample of look-ups that succeed, and nothing of callers without a valid key." },
  examples: [{}, { account: "shop@example.com", failed: true, since: "24h" }, { request_id: "6b9f3ee49b5c-2f" }],
  run: async ({ limit, cursor: after, ...asked }, room: Room) => {
    const { searchRequests } = await import("./read-requests.ts");
    const found = await searchRequests(room.db, { ...(await filterOf(asked, room)), limit, after });
    return shown(found, room.accounts);
  },
  rows: async function* ({ limit: _, cursor: _after, ...asked }, room: Room) {
    const { allRequests } = await import("./read-requests.ts");
    for await (const rows of allRequests(room.db, await filterOf(asked, room))) yield await shown(rows, room.accounts);
  },
});

async function filterOf<Asked extends { account?: string; request_id?: string }>(
  { account, request_id: requestId, ...filter }: Asked,
  { accounts }: Room,
) {
  const accountId = account === undefined ? undefined : (await accounts.find(account)).id;
  return { ...filter, accountId, ...(requestId !== undefined && { requestId }) };
}

const days = 14;
const hour = 3_600_000;

const showKeyDays = command({
  id: "requests.key",
  title: "Used and refused",
  summary: "Show how often a key was used and refused in each of the last 14 days.",
  description:
    "From the log of requests: look-ups that succeed are not counted, and days before DUBA_REQUEST_LOG are empty. " +
    "That there is no match is an answer, too.",
  role: "viewer",
  kind: "read",
  reports: true,
  target: ["id"],
  input: Type.Object({
    id: formed(id, { label: "Key", description: "Public id of the key.", placeholder: "id", minLength: 1 }),
  }),
  answer: Type.Array(
    Type.Object({
      day: Type.String(),
      used: Type.Integer({ label: "Answered", sums: true, share: true }),
      refused: Type.Integer({ label: "Refused", sums: true }),
      failed: Type.Integer({ label: "Failed here", sums: true }),
    }),
  ),
  none: "This key was not used in the last 14 days.",
  examples: [{ id: "4Zq8mPx0LtV2" }],
  run: async ({ id: keyId }, { db, now, config: { timeZone } }: KeyRoom) => {
    const { keyHours } = await import("./read-requests.ts");
    const key = await db
      .selectFrom("api_key")
      .select(["account_id", "mode"])
      .where("id", "=", keyId)
      .executeTakeFirst();
    if (!key) throw new CommandError("There is no such key.");
    const since = timeZone.startOfDay(timeZone.dayOf(now() - (days - 1) * 24 * hour));
    const found = await keyHours(db, { accountId: key.account_id, mode: key.mode as Mode, keyId, since });
    const byDay = Map.groupBy(found, (each) => timeZone.dayOf(each.hour * hour));
    const many = (some: typeof found, outcome: KeyOutcome) =>
      some.reduce((sum, { code, answers }) => sum + (outcomeOf(code) === outcome ? answers : 0), 0);
    return [...byDay]
      .toSorted(([one], [other]) => (one < other ? 1 : -1))
      .map(([day, some]) => ({
        day,
        used: many(some, "used"),
        refused: many(some, "refused"),
        failed: many(some, "failed"),
      }));
  },
});

type KeyOutcome = "used" | "refused" | "failed";

const noMatch: ReadonlySet<string> = new Set([...Object.keys(forEachNegative(String)), "verification_failed"]);

function outcomeOf(code: string | null): KeyOutcome {
  if (code === null || noMatch.has(code)) return "used";
  return Object.hasOwn(failures, code) && failures[code as FailureCode].status >= 500 ? "failed" : "refused";
}

export const requestCommands = [listRequestEntries, showKeyDays];

async function shown(rows: readonly import("./read-requests.ts").RequestRow[], accounts: Room["accounts"]) {
  const emailOf = await accounts.emails(rows.map(({ account_id }) => account_id));
  return rows.map((row) => ({
    ...row,
    account: emailOf(row.account_id),
    request_reference: row.reference,
    cursor: cursorAt(row.written_at, row.serial),
  }));
}
