import { anyLabel, checkKinds, labelOf } from "../../declare/check-kind.ts";
import {
  account,
  digits,
  list,
  naira,
  orNull,
  reference,
  state,
  time,
  yes,
} from "../../declare/command/answer-schema.ts";
import { id, lastDay, moment } from "../../declare/command/forms.ts";
import { formed, InputError } from "../../declare/command/read-texts.ts";
import { command, mostCounted, rowsAtOnce } from "../../declare/command.ts";
import { holdsLongNumber } from "../../declare/fields.ts";
import Type from "../../declare/schema/type.ts";
import { count } from "../../declare/setting.ts";
import { KeyedHashes } from "../../keyring/keyed-hash.ts";
import type { Keyring } from "../../keyring/keyring.ts";
import { lastVendor, withAttempts } from "../../ledger/attempts.ts";
import { accountFilters, type BooksRoom, periodOf } from "../../ledger/commands/period.ts";
import { publicState, publicStates } from "../../ledger/public-state.ts";
import { openVerifications } from "../../ledger/reports/open-verifications.ts";
import { pacer } from "../../runtime/pace.ts";
import { erased } from "../../storage/erase-verifications.ts";
import { vendors } from "../../vendors/registry.ts";
import { cursorOf, listVerifications, readCursor } from "./list-verifications.ts";

type Room = BooksRoom & { keyring(): Promise<{ ring: Keyring }> };

const last4 = {
  form: "four digits, such as 0017",
  read: (text: string) => (/^\d{4}$/.test(text) ? text : undefined),
};

/**
 * The form of a Consent-Reference in a search. A possible number or e-mail of a person is refused, so that no SQL
 * statement contains it.
 */
const consent = {
  form: "1 to 128 visible characters, without a number of ten digits and without @",
  read: (text: string) => (/^[!-?A-~]{1,128}$/.test(text) && !holdsLongNumber(text) ? text : undefined),
};

const pageSize = {
  form: `a number from 1 to ${rowsAtOnce}`,
  read: (text: string) => {
    const size = count.read(text);
    return size !== undefined && size <= rowsAtOnce ? size : undefined;
  },
};

const cursor = { form: "the cursor of an earlier page", read: readCursor };

export const listVerificationsCommand = command({
  id: "ledger.list",
  title: "Verifications",
  summary: "List the verifications that fit, newest first, without personal data.",
  description:
    "All options that you give must fit. A long search stops after 30,000 verifications and shows the cursor with " +
    "which it goes on. Days are those of DUBA_TIME_ZONE.",
  role: "viewer",
  kind: "read",
  reports: true,
  input: Type.Object({
    ...accountFilters,
    state: Type.Optional(Type.Enum([...publicStates], { description: "Only verifications in this state." })),
    kind: Type.Optional(Type.Enum([...checkKinds], { description: "Only this kind of number." })),
    vendor: Type.Optional(
      Type.Enum(["sandbox", ...vendors.map(({ name }) => name)], { description: "Only those that asked this vendor." }),
    ),
    from: Type.Optional(
      formed(moment, { description: `First day, or a time ago: ${moment.form}.`, placeholder: "when", hint: "" }),
    ),
    to: Type.Optional(formed(lastDay, { description: "Last day.", placeholder: "day" })),
    last4: Type.Optional(formed(last4, { description: `Last four digits of the ${anyLabel}.`, placeholder: "digits" })),
    reference: Type.Optional(
      formed(id, { description: "The reference of the verification.", placeholder: "reference" }),
    ),
    request_id: Type.Optional(
      formed(id, { description: "Id of a request (X-Request-Id), as the log has it.", placeholder: "id" }),
    ),
    idempotency_key: Type.Optional(
      Type.String({
        description: "Idempotency-Key of the request.",
        placeholder: "key",
        ofCallers: true,
      }),
    ),
    consent: Type.Optional(
      formed(consent, { description: "Consent-Reference of the request.", placeholder: "reference" }),
    ),
    limit: formed(pageSize, { description: "How many to show at most.", placeholder: "count", default: "50" }),
    cursor: Type.Optional(
      formed(cursor, { description: "Where to go on: the cursor that the page before shows.", placeholder: "cursor" }),
    ),
  }),
  answer: Type.Object({
    verifications: Type.Array(
      Type.Object({
        request_reference: reference,
        created_at: time,
        account,
        key_id: reference,
        mode: Type.Enum(["test", "live"]),
        kind: Type.Enum([...checkKinds], { label: "Check" }),
        state: state(publicStates),
        upstream: orNull(Type.String()),
        attempts: Type.Integer(),
        subject: digits,
        charged: yes,
        fee: naira,
        consent_reference: orNull(reference),
        completed_at: orNull(time),
      }),
    ),
    next: orNull(Type.String()),
    /** Set if the search stopped before the page was full. */
    searched_back_to: orNull(time),
  }),
  page: [
    { name: "person", of: ({ kind, subject }) => `${labelOf(kind)} ending ${subject.replaceAll("*", "")}` },
    ...(["state", "account", { name: "upstream", spare: true }] as const),
    ...([
      { name: "mode", spare: true },
      { name: "request_reference", spare: true },
    ] as const),
    { name: "fee", of: ({ charged, fee }) => (charged ? fee : null), as: orNull({ ...naira, none: "free" }) },
    "created_at",
  ],
  columns: [
    ...(["created_at", "request_reference", "account", "mode", "kind", "state", "upstream", "subject"] as const),
    { name: "fee", of: ({ charged, fee }) => (charged ? fee : null), as: naira },
  ],
  none: "No verifications.",
  noneThen: { says: "They appear when a client calls with its key.", by: "keys.create" },
  choiceCounts: async (_, { db }: Room) => {
    const state: Record<string, number> = {};
    for (const open of await openVerifications(db)) state[open.state] = (state[open.state] ?? 0) + open.count;
    return { state };
  },
  tab: {
    count: async ({ account }, { db, accounts }: Room) => {
      if (account === undefined) return undefined;
      const { id: accountId } = await accounts.find(account);
      return (await listVerifications(db, { accountId }, { size: mostCounted })).rows.length;
    },
  },
  view: ({ next, searched_back_to: back }, { at }) => [
    list,
    ...(back === null ? [] : [{ note: `The search has come back to ${at(back)}.` }]),
    ...(next === null ? [] : [{ more: next }]),
  ],
  examples: [
    {},
    { account: "shop@example.com", state: "unknown", from: "2026-11-01" },
    { last4: "0017", mode: "live" },
    { idempotency_key: "order-1001" },
  ],
  run: async ({ limit, cursor: after, ...asked }, room: Room) => {
    const page = await listVerifications(room.db, await filterOf(asked, room), { after, size: limit });
    return {
      verifications: await shownRows(page.rows, room),
      next: page.next && cursorOf(page.next),
      searched_back_to: page.isPartial ? page.next!.created_at : null,
    };
  },
  rows: async function* ({ limit: _, cursor, ...asked }, room: Room) {
    const filter = await filterOf(asked, room);
    let after = cursor;
    do {
      const page = await listVerifications(room.db, filter, { after, size: rowsAtOnce });
      yield await shownRows(page.rows, room);
      after = page.next ?? undefined;
    } while (after);
  },
});

interface AskedList {
  account?: string;
  idempotency_key?: string;
  request_id?: string;
  from?: number;
  to?: number;
}

/** The conditions of a search in the ledger. Throws an `InputError` for conditions that no row can meet. */
async function filterOf(
  { account, idempotency_key: key, request_id: requestId, from, to, ...filter }: AskedList,
  { accounts, keyring, config: { timeZone: zone } }: Room,
) {
  const accountId = account === undefined ? undefined : (await accounts.find(account)).id;
  if (from !== undefined && to !== undefined) periodOf({ from, to }, zone);
  if (key === "") throw new InputError("An idempotency key is not empty.");
  const hashes = async (text: string) => {
    const keyed = new KeyedHashes({ current: (await keyring()).ring });
    const ids = accountId === undefined ? await accounts.ids() : [accountId];
    const pause = pacer();
    const found: string[] = [];
    for (const id of ids) {
      for (const mode of ["test", "live"]) found.push(...keyed.all("idempotency key", [id, mode, text]));
      await pause();
    }
    return found;
  };
  return {
    ...filter,
    accountId,
    requestId,
    from,
    to,
    idempotencyHashes: key === undefined ? undefined : await hashes(key),
  };
}

async function shownRows(found: Awaited<ReturnType<typeof listVerifications>>["rows"], { db, accounts }: Room) {
  const emailOf = await accounts.emails(found.map(({ account_id }) => account_id));
  const rows = await withAttempts(db, found);
  return rows.map((row) => ({
    ...row,
    request_reference: row.reference,
    state: publicState(row),
    account: emailOf(row.account_id),
    upstream: lastVendor(row),
    attempts: row.attempts.length,
    subject: row.subject_last4 === erased ? erased : `*******${row.subject_last4}`,
  }));
}
