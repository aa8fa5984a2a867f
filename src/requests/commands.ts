import { account, orNull, reference, time } from "../operation/command/answer-schema.ts";
import { moment } from "../operation/command/forms.ts";
import { flag, formed } from "../operation/command/read-texts.ts";
import { CommandError, command } from "../operation/command.ts";
import Type from "../operation/schema/type.ts";
import { count } from "../operation/setting.ts";
import type { Audited } from "../storage/audited.ts";

interface Room extends Pick<Audited, "db"> {
  accounts: {
    find(idOrEmail: string): Promise<{ id: string }>;
    emails(): Promise<(id: string) => string>;
  };
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
});

const scope =
  "The log has each failure and each verification of callers with a key, and a sample of look-ups that succeed. It is kept for " +
  "DUBA_REQUEST_LOG. Integrators read their own with GET /api/v2/requests.";

const listRequestEntries = command({
  id: "requests.list",
  summary: "List the last requests of integrators, newest first.",
  description: scope,
  role: "viewer",
  kind: "read",
  reports: true,
  input: Type.Object({
    account: Type.Optional(
      Type.String({ description: "Only requests of this account.", placeholder: "id or e-mail", minLength: 1 }),
    ),
    failed: flag("Only failures."),
    code: Type.Optional(
      Type.String({ description: "Only failures with this code.", placeholder: "code", minLength: 1 }),
    ),
    operation: Type.Optional(Type.String({ description: "Only requests to this operation.", minLength: 1 })),
    since: Type.Optional(
      formed(moment, { description: `Only requests from this time: ${moment.form}.`, placeholder: "when" }),
    ),
    limit: formed(count, { description: "Maximum number of requests.", placeholder: "number", default: "50" }),
  }),
  answer: Type.Array(entry),
  none: "No requests.",
  examples: [{}, { account: "shop@example.com", failed: true, since: "24h" }],
  run: async ({ account, ...filter }, { db, accounts }: Room) => {
    const { searchRequests } = await import("./read-requests.ts");
    const accountId = account === undefined ? undefined : (await accounts.find(account)).id;
    return shown(await searchRequests(db, { ...filter, accountId }), accounts);
  },
});

const showRequestEntry = command({
  id: "requests.show",
  summary: "Show a request of an integrator by its request id.",
  description: `${scope} Callers may choose the id and repeat it, so there may be several.`,
  role: "viewer",
  kind: "read",
  target: ["request_id"],
  input: Type.Object({
    request_id: Type.String({ ofCallers: true, description: "The X-Request-Id of the response.", minLength: 1 }),
  }),
  answer: Type.Array(entry),
  examples: [{ request_id: "6b9f3ee49b5c-2f" }],
  run: async ({ request_id }, { db, accounts }: Room) => {
    const { searchRequests } = await import("./read-requests.ts");
    const rows = await searchRequests(db, { requestId: request_id, limit: 50 });
    if (rows.length === 0)
      throw new CommandError(
        "No request has this id. It may be too old, or a look-up that succeeded, of which the log has a sample. Requests without a valid key have no entry.",
      );
    return shown(rows, accounts);
  },
});

export const requestCommands = [listRequestEntries, showRequestEntry];

async function shown(rows: readonly import("./read-requests.ts").RequestRow[], accounts: Room["accounts"]) {
  const emailOf = await accounts.emails();
  return rows.map((row) => ({ ...row, account: emailOf(row.account_id), request_reference: row.reference }));
}
