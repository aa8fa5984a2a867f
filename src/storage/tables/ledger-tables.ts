import { sql } from "kysely";
import { eraseVerifications } from "../erase-verifications.ts";
import { destroyStaleKeys, staleSlots } from "../record-keys.ts";
import { hourly, ledgerMonths, ledgerStart, minutely, rowsBefore } from "../retention/retention-rule.ts";
import { verificationRules } from "../retention/verification-rules.ts";
import { allTables } from "../tables.ts";
import { table } from "./declared-table.ts";

/** How long an idempotency key is kept, in milliseconds. */
export const keyLifetime = 24 * hourly;
/** How long hourly sums are kept, in milliseconds. */
export const hoursKept = 72 * hourly;
/** How long money waits for a second person's confirmation, in milliseconds. */
export const requestLife = 24 * hourly;
/** Older upstream states come from processes that have ended. In milliseconds. */
export const forgottenAfter = minutely;

const recordsKept = 24 * hourly;

const sumRules = (table: "verification_sum" | "use_sum", what: string) => [
  rowsBefore(table, "begins_at", {
    name: `${what} of hours`,
    only: sql`span = 'hour'`,
    kept: (now) => now - hoursKept,
  }),
  rowsBefore(table, "begins_at", { name: `${what} of days`, only: sql`span = 'day'`, kept: ledgerStart }),
];

const withTheKey = `${keyLifetime / hourly} hours, with that key`;
const withTheRow = `${ledgerMonths} months, with the ledger row`;

export const ledgerTables = {
  verification: table({
    columns: allTables.verification,
    personal: [
      {
        what: "the BVN or NIN",
        columns: ["subject_hash", "subject_last4"],
        kept: "no",
        how: "a keyed hash (of kind and number) and the last four digits",
        until: withTheRow,
        isErased: true,
      },
      {
        what: "the phone number",
        columns: ["body_hash"],
        kept: "no",
        how: "as part of a keyed hash of the whole request, if it had an idempotency key",
        until: withTheKey,
        isErased: true,
      },
      {
        what: "names and birth date that the business sent to compare",
        columns: ["body_hash"],
        kept: "no",
        how: "as part of the same hash; the result is not kept",
        until: withTheKey,
        isErased: true,
      },
      {
        what: "the identity record: names, birth, addresses, …",
        columns: ["sealed_record"],
        kept: "for a day",
        how: "encrypted, only if the business sent an idempotency key",
        until: `${recordsKept / hourly} hours (\`DUBA_RECORD_RETENTION\`); then encrypted text and key are removed`,
        isErased: true,
      },
      {
        what: "the business's own idempotency key, to answer retries",
        columns: ["idempotency_hash"],
        kept: "no",
        how: "a keyed hash (of account, mode and key)",
        until: `${keyLifetime / hourly} hours`,
        isErased: false,
      },
      {
        what: "the same, to find the verification again",
        columns: ["lasting_idempotency_hash"],
        kept: "no",
        how: "the same hash",
        until: withTheRow,
        isErased: true,
      },
      {
        what: "the business's own handle of the person's consent",
        columns: ["consent_reference"],
        kept: "yes",
        how: "plain, as the business sent it",
        until: withTheRow,
        isErased: true,
      },
      {
        what: "that a verification took place, when, its state, and which vendors were asked",
        columns: ["kind", "state", "reason", "created_at", "completed_at"],
        kept: "yes",
        how: "plain, without the person",
        until: `${ledgerMonths} months`,
        isErased: false,
      },
    ],
    retention: ({ recordRetention = recordsKept }) => verificationRules({ keyLifetime, recordRetention }),
    // A sealed record is useless without its key, and backups contain no keys.
    backup: { without: ["sealed_record"] },
    erasure: { rows: eraseVerifications },
  }),
  verification_attempt: table({
    columns: allTables.verification_attempt,
    personal: [
      {
        what: "the vendor's own reference of each look-up, if it gives one",
        columns: ["vendor_reference"],
        kept: "yes",
        how: "plain, as the vendor sent it: it names the look-up in the vendor's books, and on its invoice",
        until: withTheRow,
        isErased: false,
      },
    ],
    retention: { with: "verification" },
    backup: {},
  }),
  record_key: table({
    columns: allTables.record_key,
    retention: { with: "verification" },
    // Without these keys, a backup cannot restore records that were erased or expired after the backup.
    backup: "none",
    erasure: { finish: async (db, patience) => destroyStaleKeys(db, await staleSlots(db), patience) },
  }),
  adjustment: table({
    columns: allTables.adjustment,
    retention: () => [rowsBefore("adjustment", "at", { kept: ledgerStart })],
    backup: {},
  }),
  money_request: table({
    columns: allTables.money_request,
    retention: () => [rowsBefore("money_request", "at", { kept: (now) => now - requestLife })],
    backup: "none",
  }),
  verification_sum: table({
    columns: allTables.verification_sum,
    personal: [
      {
        what: "sums of verifications",
        columns: ["attempts", "verified", "negative", "charges"],
        kept: "yes",
        how: "numbers, without persons and references",
        until: `by the hour ${hoursKept / hourly} hours, by the day ${ledgerMonths} months`,
        isErased: false,
      },
    ],
    retention: () => sumRules("verification_sum", "sums"),
    backup: {},
  }),
  use_sum: table({
    columns: allTables.use_sum,
    personal: [
      {
        what: "the same sums by API key, and by vendor",
        columns: ["attempts", "verified", "negative", "charges"],
        kept: "yes",
        how: "numbers, without persons and references",
        until: `by the hour ${hoursKept / hourly} hours, by the day ${ledgerMonths} months`,
        isErased: false,
      },
    ],
    retention: () => sumRules("use_sum", "sums of use"),
    backup: {},
  }),
  upstream_status: table({
    columns: allTables.upstream_status,
    retention: () => [rowsBefore("upstream_status", "noted_at", { kept: (now) => now - forgottenAfter })],
    backup: "none",
  }),
  verification_journal: table({
    columns: allTables.verification_journal,
    // The jobs that follow the journal delete its rows within a second.
    retention: "lasts",
    backup: {},
  }),
  // Each process deletes its own rows of these two tables, and those of processes that are dead by the database's
  // clock.
  verification_owner: table({ columns: allTables.verification_owner, retention: "lasts", backup: "none" }),
  charging_process: table({ columns: allTables.charging_process, retention: "lasts", backup: "none" }),
  spending: table({ columns: allTables.spending, retention: "lasts", backup: {} }),
  top_up: table({ columns: allTables.top_up, retention: "lasts", backup: {} }),
};
