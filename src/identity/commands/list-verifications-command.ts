import { KeyedHashes } from "../../keyring/keyed-hash.ts";
import type { Keyring } from "../../keyring/keyring.ts";
import { checkKinds } from "../../operation/check-kind.ts";
import { instant, isoOf, list, orNull, timeText } from "../../operation/command/answer-schema.ts";
import { calendarDay } from "../../operation/command/forms.ts";
import { formed, InputFault } from "../../operation/command/read-texts.ts";
import { command } from "../../operation/command.ts";
import { nairaOf } from "../../operation/money.ts";
import Type from "../../operation/schema/type.ts";
import { count } from "../../operation/setting.ts";
import { vendors } from "../../upstreams/registry.ts";
import { lastVendor, withAttempts } from "../ledger/attempts.ts";
import { cursorOf, listVerifications, readCursor } from "../ledger/reports/list-verifications.ts";
import { erased } from "../ledger/run-outcome.ts";
import { states } from "../ledger/transitions.ts";
import { type BooksRoom, periodOf, whose } from "./period.ts";

const mostRows = 1_000;

const last4 = {
  form: "four digits, such as 0017",
  read: (text: string) => (/^\d{4}$/.test(text) ? text : undefined),
};

const pageSize = {
  form: `a number from 1 to ${mostRows}`,
  read: (text: string) => {
    const size = count.read(text);
    return size !== undefined && size <= mostRows ? size : undefined;
  },
};

const cursor = { form: "the cursor of an earlier page", read: readCursor };

export const listVerificationsCommand = command({
  id: "ledger.list",
  summary: "List the verifications that fit, newest first, without personal data.",
  description:
    "All options that you give must fit. A long search stops after 30,000 verifications and shows the cursor with which it goes " +
    "on. Days are those of DUBA_TIME_ZONE.",
  role: "viewer",
  kind: "read",
  reports: true,
  input: Type.Object({
    ...whose,
    state: Type.Optional(Type.Enum([...states], { description: "Only verifications in this state." })),
    kind: Type.Optional(Type.Enum([...checkKinds], { description: "Only this kind of number." })),
    vendor: Type.Optional(
      Type.Enum(["sandbox", ...vendors.map(({ name }) => name)], { description: "Only those that asked this vendor." }),
    ),
    from: Type.Optional(formed(calendarDay, { description: "First day.", placeholder: "day" })),
    to: Type.Optional(formed(calendarDay, { description: "Day after the last day.", placeholder: "day" })),
    last4: Type.Optional(formed(last4, { description: "Last four digits of the BVN or NIN.", placeholder: "digits" })),
    reference: Type.Optional(
      Type.String({ description: "The request_reference of the verification.", placeholder: "reference" }),
    ),
    request_id: Type.Optional(
      Type.String({ description: "Id of a request (X-Request-Id), as the log has it.", placeholder: "id" }),
    ),
    idempotency_key: Type.Optional(
      Type.String({
        description: "Idempotency-Key of the request. Duba keeps a hash of it for 24 hours.",
        placeholder: "key",
      }),
    ),
    consent: Type.Optional(Type.String({ description: "Consent-Reference of the request.", placeholder: "reference" })),
    limit: formed(pageSize, { description: "How many to show at most.", placeholder: "count", default: "50" }),
    cursor: Type.Optional(
      formed(cursor, { description: "Where to go on: the cursor that the page before shows.", placeholder: "cursor" }),
    ),
  }),
  answer: Type.Object({
    verifications: Type.Array(
      Type.Object({
        request_reference: Type.String(),
        created_at: instant,
        account: Type.String(),
        key_id: Type.String(),
        mode: Type.Enum(["test", "live"]),
        kind: Type.Enum([...checkKinds]),
        state: Type.Enum([...states]),
        upstream: orNull(Type.String()),
        attempts: Type.Integer(),
        subject: Type.String(),
        charged: Type.Boolean(),
        fee: Type.String(),
        consent_reference: orNull(Type.String()),
        completed_at: orNull(instant),
      }),
    ),
    next: orNull(Type.String()),
    /** Set if the search stopped before the page was full. */
    searched_back_to: orNull(instant),
  }),
  columns: {
    created_at: "created",
    request_reference: "request_reference",
    account: "account",
    mode: "mode",
    kind: "kind",
    state: "state",
    upstream: "upstream",
    subject: "subject",
    fee: { of: ({ charged, fee }) => (charged ? fee : null) },
  },
  none: "No verifications.",
  view: ({ next, searched_back_to: back }) => [
    list,
    ...(back === null ? [] : [{ note: `The search has come back to ${timeText(back)}.` }]),
    ...(next === null ? [] : [{ note: `There may be more: add --cursor ${next}` }]),
  ],
  examples: [
    {},
    { account: "shop@example.com", state: "unknown", from: "2026-11-01" },
    { last4: "0017", mode: "live" },
    { idempotency_key: "order-1001" },
  ],
  run: async (
    { account, idempotency_key: key, request_id: requestId, from, to, limit, cursor: after, ...filter },
    { db, accounts, keyring, config: { timeZone: zone } }: BooksRoom & { keyring(): Promise<{ ring: Keyring }> },
  ) => {
    const accountId = account === undefined ? undefined : (await accounts.find(account)).id;
    if (from !== undefined && to !== undefined) periodOf({ from, to }, zone);
    if (key === "") throw new InputFault("An idempotency key is not empty.");
    const hashes = async (text: string) => {
      const keyed = new KeyedHashes({ current: (await keyring()).ring });
      const ids = accountId === undefined ? await accounts.ids() : [accountId];
      return ids.flatMap((id) => ["test", "live"].flatMap((mode) => keyed.all("idempotency key", [id, mode, text])));
    };
    const page = await listVerifications(
      db,
      {
        ...filter,
        accountId,
        requestId,
        from: from === undefined ? undefined : zone.startOfDay(from),
        to: to === undefined ? undefined : zone.startOfDay(to),
        idempotencyHashes: key === undefined ? undefined : await hashes(key),
      },
      { after, size: limit },
    );
    const emailOf = await accounts.emails();
    const rows = await withAttempts(db, page.rows);
    return {
      verifications: rows.map((row) => ({
        request_reference: row.reference,
        created_at: isoOf(row.created_at),
        account: emailOf(row.account_id),
        key_id: row.key_id,
        mode: row.mode,
        kind: row.kind,
        state: row.state,
        upstream: lastVendor(row),
        attempts: row.attempts.length,
        subject: row.subject_last4 === erased ? erased : `*******${row.subject_last4}`,
        charged: row.charged === 1,
        fee: nairaOf(row.fee),
        consent_reference: row.consent_reference,
        completed_at: isoOf(row.completed_at),
      })),
      next: page.next && cursorOf(page.next),
      searched_back_to: page.isPartial ? isoOf(page.next!.createdAt) : null,
    };
  },
});
