import { checkKinds } from "../../declare/check-kind.ts";
import {
  account,
  digits,
  facts,
  happening,
  list,
  naira,
  orNull,
  reference,
  sentence,
  state,
  time,
  yes,
} from "../../declare/command/answer-schema.ts";
import { id } from "../../declare/command/forms.ts";
import { formed } from "../../declare/command/read-texts.ts";
import { joinTexts, richText } from "../../declare/command/rich-text.ts";
import { command } from "../../declare/command.ts";
import { nairaText } from "../../declare/money.ts";
import Type from "../../declare/schema/type.ts";
import { accountFilters, type BooksRoom, period, periodOf } from "../../ledger/commands/period.ts";
import { TimeLineEntry } from "../../ledger/commands/time-line-entry.ts";
import type { WithAccounts } from "../../ledger/commands/with-accounts.ts";
import type { ClientResponse, WithStory } from "../../ledger/commands/with-story.ts";
import { keyEndOf, recordEndOf } from "../../ledger/identity-settings.ts";
import type { Row } from "../../ledger/ledger.ts";
import { publicState, publicStates } from "../../ledger/public-state.ts";
import { attemptSums } from "../../ledger/reports/attempt-sums.ts";
import type { SummaryPeriod } from "../../ledger/reports/day-groups.ts";
import { adjustmentsOf } from "../../ledger/reports/inspect.ts";
import { groupings, noStates, summary } from "../../ledger/reports/summary.ts";
import { anyVerification } from "../../ledger/settle.ts";
import { readChoice } from "../../ledger/vendor-choice.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Audited, WithClock } from "../../storage/audited.ts";
import { erased } from "../../storage/erase-verifications.ts";
import { attemptReasons } from "../../vendors/ports/reasons.ts";
import { comparedText, explainRoute } from "./explain-route.ts";
import { listVerificationsCommand } from "./list-verifications-command.ts";
import { responseText, timeLine } from "./time-line.ts";

const mode = Type.Enum(["test", "live"]);

interface ByState {
  by_state: Record<string, number>;
}

const summarizeLedger = command({
  id: "ledger.summary",
  title: "Count by state",
  summary: "Count the verifications of a period by state, and add up the charges and fees in naira.",
  description:
    "The command subtracts a reversed charge in the period of the reversal, so past periods do not change. " +
    "It never adds test and live together, nor BVNs and NINs. Days and months are those of DUBA_TIME_ZONE.",
  role: "viewer",
  kind: "read",
  reports: true,
  input: Type.Object({
    by: Type.Enum([...groupings, "vendor"], {
      description:
        "What each line is about. vendor: it counts the attempts at each vendor, by their outcome, without charges.",
      default: "account",
    }),
    ...accountFilters,
    ...period,
  }),
  answer: Type.Object({
    from: time,
    to: time,
    time_zone: Type.String(),
    by: Type.Enum([...groupings, "vendor"]),
    groups: Type.Array(
      Type.Object({
        group: Type.String(),
        mode,
        kind: orNull(Type.Enum([...checkKinds], { label: "Check" })),
        count: Type.Integer(),
        /** Null by vendor: a charge belongs to a verification, not to one of its attempts. */
        charged: orNull(Type.Integer()),
        fees: orNull(naira),
        by_state: Type.Record(Type.Enum([...publicStates]), Type.Integer()),
      }),
    ),
  }),
  columns: [
    ...(["group", "mode", "kind", "count", "charged", "fees"] as const),
    ...publicStates.map((name) => ({
      name,
      of: ({ by_state }: ByState) => by_state[name],
      as: Type.Integer({ spare: true }),
    })),
  ],
  view: ({ from, to }, { at }) => [{ note: `From ${at(from)} until ${at(to)}.` }, list],
  examples: [
    {},
    { by: "day", account: "shop@example.com", mode: "live", from: "2026-11-01", to: "2026-11-30" },
    { by: "month", from: "2026-01-01" },
  ],
  run: async (
    { by, account, mode, ...days },
    { db, accounts, now, config: { timeZone: zone } }: BooksRoom & WithClock,
  ) => {
    const accountId = account === undefined ? undefined : (await accounts.find(account)).id;
    const { from, to } = periodOf(days, zone);
    const asked = { from, to, accountId, mode };
    const sums =
      by === "vendor" ? await vendorSums(db, asked, zone) : await summary(db, asked, { by, zone, now: now() });
    const nameOf = by === "account" ? await accounts.emails(sums.map(({ group }) => group)) : (name: string) => name;
    return {
      from,
      to,
      time_zone: zone.name,
      by,
      groups: sums.map((sum) => ({
        ...sum,
        group: nameOf(sum.group),
        fees: sum.feeKobo,
        by_state: sum.byState,
      })),
    };
  },
});

/** Attempts at vendors, in the form of a summary without charges. */
async function vendorSums(db: Audited["db"], period: SummaryPeriod, zone: TimeZone) {
  const sums = await attemptSums(db, period, { by: "vendor", zone });
  return sums.map(({ attempts, byOutcome, ...group }) => ({
    ...group,
    count: attempts,
    charged: null,
    feeKobo: null,
    byState: Object.assign(noStates(), byOutcome),
  }));
}

type Kept = Audited & WithClock & { config: { recordRetention: number } };

const showVerification = command({
  id: "ledger.show",
  title: "Verification",
  summary: "Show one verification: its state, its charge, and each attempt at a vendor, without personal data.",
  role: "viewer",
  kind: "read",
  target: ["reference"],
  input: Type.Object({ reference: formed(id, { description: "The reference of the verification." }) }),
  answer: Type.Object({
    request_reference: reference,
    explanation: sentence,
    account,
    account_id: reference,
    key_id: reference,
    mode,
    kind: Type.Enum([...checkKinds], { label: "Check" }),
    state: state(publicStates),
    subject: digits,
    amount: { ...naira, label: "The client said" },
    amount_differs: yes,
    quoted_fee: naira,
    charged: yes,
    charged_at: orNull(time),
    /** The charge with its corrections. */
    charge_left: naira,
    /** The bill of the vendors, as far as it is known. `margin` is the rest of the charge after this bill. */
    cost: orNull(naira),
    margin: orNull(naira),
    consent_reference: orNull(reference),
    key_kept: yes,
    key_kept_until: orNull(time),
    record_kept: yes,
    record_kept_until: orNull(time),
    created_at: time,
    started_at: time,
    completed_at: orNull(time),
    request_id: reference,
    attempts: Type.Array(
      Type.Object({
        number: Type.Integer(),
        vendor: Type.String(),
        started_at: time,
        answered_at: orNull(time),
        outcome: state(publicStates),
        reason: orNull(Type.Enum([...attemptReasons])),
        vendor_reference: orNull(reference),
        http_status: orNull(Type.Integer({ spare: true })),
        bill: orNull(naira),
        request_id: reference,
        billed: orNull(Type.String({ spare: true })),
        policy: state(["listed", "cheapest"], { spare: true }),
        passed_over: Type.Array(sentence, { none: "nobody", spare: true }),
        compared: Type.Array(sentence, { none: "nothing", spare: true }),
      }),
    ),
    adjustments: Type.Array(
      Type.Object({ id: reference, at: time, fees: { ...naira, sums: true }, reason: Type.String() }),
    ),
    audit_entries: Type.Array(Type.Object({ occurred_at: time, kind: happening, actor: account, facts })),
    time_line: Type.Array(TimeLineEntry),
  }),
  view: ({
    request_reference: _,
    explanation,
    account_id: _a,
    attempts,
    adjustments,
    audit_entries: _b,
    time_line: _c,
    ...shown
  }) => [
    ...(attempts.length > 0 ? [{ text: explanation }, ""] : []),
    { record: shown },
    "",
    { title: "What happened:", list: "time_line", columns: ["at", "what", "by"] },
    "",
    { title: "Attempts at vendors:", list: "attempts", none: "No vendor was asked." },
    "",
    ...(adjustments.length > 0 ? [{ title: "Adjustments:", list: "adjustments" }, ""] : []),
    { title: "Audit trail:", list: "audit_entries", none: "The audit trail does not mention it yet." },
  ],
  // Leaves out the facts of the time line (attempts, corrections, authors), and the audit trail, which has a page of
  // its own.
  onPage: ({ request_reference: _, account_id: _a, explanation, attempts, adjustments: _b, ...shown }, { at }) => {
    const { audit_entries: _c, time_line: _d, started_at: _e, completed_at: _f, charged_at: _g, ...record } = shown;
    const { amount, amount_differs, key_kept, key_kept_until, record_kept, record_kept_until, ...others } = record;
    const ends = (until: number | null, words: string) => (until === null ? "none" : `${words} ${at(until)}`);
    const facts = {
      ...others,
      idempotency_key: ends(key_kept_until, `${key_kept ? "answers" : "answered"} retries until`),
      record: ends(record_kept_until, record_kept ? "kept until" : "erased on"),
    };
    const isChosen = attempts.some(({ passed_over, compared }) => passed_over.length + compared.length > 0);
    return [
      { text: explanation },
      { title: "What happened", list: "time_line", isTimeLine: true },
      { record: amount_differs ? { ...facts, amount } : facts },
      ...(attempts.length > 1 || isChosen ? [{ title: "Why these vendors", list: "attempts" }] : []),
    ];
  },
  examples: [{ reference: "3wKwKW719640695" }],
  run: async ({ reference }, { db, now, config, accounts, storyOf }: Kept & WithAccounts & WithStory) => {
    const found = await anyVerification(db, reference);
    const key = found.idempotency_hash ?? found.lasting_idempotency_hash;
    const keyEnd = key === null ? null : keyEndOf(found);
    const adjustments = await adjustmentsOf(db, found);
    const left = found.charged ? adjustments.reduce((sum, { kobo }) => sum + kobo, found.fee) : 0;
    const bills = found.attempts.flatMap(({ bill }) => bill ?? []);
    const cost = bills.length === 0 ? null : bills.reduce((sum, bill) => sum + bill);
    const requestIds = [...new Set([...found.attempts.map(({ request_id }) => request_id), found.request_id])];
    const { account_id: accountId, mode } = found;
    const { entries, responses, events } = await storyOf({ reference, accountId, mode, requestIds });
    return {
      ...found,
      request_reference: found.reference,
      explanation: joinTexts(
        [
          ...chargeOf(found).map((text) => [text]),
          explainRoute(found.attempts),
          ...clientGot(found, responses).map((text) => [text]),
        ],
        " ",
      ),
      account: (await accounts.emails([found.account_id]))(found.account_id),
      state: publicState(found),
      attempts: found.attempts.map((attempt) => {
        const { policy, passedOver, compared } = readChoice(attempt.why);
        return {
          ...attempt,
          outcome: publicState({ ...attempt, state: attempt.outcome }),
          billed: attempt.billed ?? null,
          policy,
          passed_over: passedOver.map(({ vendor, reason }) => richText`${{ vendor }} (${reason.replaceAll("_", " ")})`),
          compared: compared.map(comparedText),
        };
      }),
      subject: found.subject_last4 === erased ? erased : `*******${found.subject_last4}`,
      quoted_fee: found.fee,
      charge_left: left,
      cost,
      margin: cost === null ? null : left - cost,
      key_kept: found.idempotency_hash !== null,
      key_kept_until: keyEnd,
      record_kept: found.sealed_record !== null,
      record_kept_until: keyEnd !== null && found.state === "verified" ? recordEnd(found, keyEnd, config, now()) : null,
      adjustments: adjustments.map((row) => ({ ...row, fees: row.kobo })),
      audit_entries: entries,
      time_line: timeLine(found, { responses, adjustments, entries, events }),
    };
  },
});

/**
 * The end of the stored record, in milliseconds since 1970; null if there was no record, or if an erasure or a restore
 * removed it.
 */
function recordEnd(row: Row, keyEnd: number, config: Kept["config"], now: number): number | null {
  const completed_at = row.completed_at!;
  // Only a retry with the key gets the record, so the record never outlives the key.
  const end = Math.min(keyEnd, recordEndOf({ completed_at }, config));
  return end > completed_at && (row.sealed_record !== null || end <= now) ? end : null;
}

function chargeOf({ charged, fee }: { charged: 0 | 1; fee: number }): string[] {
  return charged ? [`Charged ${nairaText(fee)}.`] : [];
}

/** Says what the client got for a verification without an outcome. */
function clientGot({ state }: { state: string }, responses: readonly ClientResponse[]): string[] {
  if (state !== "unknown") return [];
  const last = responses.at(-1);
  return [
    last
      ? `The client got ${responseText(last)}. Nothing was charged.`
      : "The request log does not say what the client got. Nothing was charged.",
  ];
}

export const ledgerCommands = [listVerificationsCommand, summarizeLedger, showVerification];
