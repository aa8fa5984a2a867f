import { checkKinds } from "../../operation/check-kind.ts";
import { instant, isoOf, list, orNull, timeText } from "../../operation/command/answer-schema.ts";
import { command } from "../../operation/command.ts";
import { nairaOf } from "../../operation/money.ts";
import Type from "../../operation/schema/type.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Audited } from "../../storage/audited.ts";
import { questionSums } from "../books/questions.ts";
import { attemptReasons, lastVendor } from "../ledger/attempts.ts";
import { adjustmentsOf, unknownVerifications } from "../ledger/reports/inspect.ts";
import {
  groupings,
  noStates,
  type SummaryPeriod,
  summary,
  type VerificationSummary,
} from "../ledger/reports/summary.ts";
import { erased } from "../ledger/run-outcome.ts";
import { anyVerification } from "../ledger/settle.ts";
import { states } from "../ledger/transitions.ts";
import { listVerificationsCommand } from "./list-verifications-command.ts";
import { type BooksRoom, period, periodOf, whose } from "./period.ts";
import type { WithAccounts } from "./with-accounts.ts";
import type { WithAuditEntries } from "./with-audit-entries.ts";

const mode = Type.Enum(["test", "live"]);

const summarizeLedger = command({
  id: "ledger.summary",
  summary: "Count the verifications of a period by state, and add up the charges and fees in naira.",
  description:
    "The command subtracts a reversed charge in the period of the reversal, so past periods do not change. It never adds test " +
    "and live together, nor BVNs and NINs. Days and months are those of DUBA_TIME_ZONE.",
  role: "viewer",
  kind: "read",
  reports: true,
  input: Type.Object({
    by: Type.Enum([...groupings, "vendor"], {
      description: "What each line is about. vendor: it counts the questions to each vendor, by their outcome.",
      default: "account",
    }),
    ...whose,
    ...period,
  }),
  answer: Type.Object({
    from: instant,
    to: instant,
    time_zone: Type.String(),
    by: Type.Enum([...groupings, "vendor"]),
    groups: Type.Array(
      Type.Object({
        group: Type.String(),
        mode,
        kind: orNull(Type.Enum([...checkKinds])),
        count: Type.Integer(),
        charged: Type.Integer(),
        fees: Type.String(),
        by_state: Type.Record(Type.Enum([...states]), Type.Integer()),
      }),
    ),
  }),
  columns: {
    group: "group",
    mode: "mode",
    kind: "kind",
    count: "count",
    charged: "charged",
    fees: "fees",
    ...Object.fromEntries(
      states.map((state) => [state, { of: (row: { by_state: Record<string, number> }) => row.by_state[state] }]),
    ),
  },
  view: ({ from, to }) => [{ note: `From ${timeText(from)} until ${timeText(to)}. Fees in naira.` }, list],
  examples: [
    {},
    { by: "day", account: "shop@example.com", mode: "live", from: "2026-11-01", to: "2026-12-01" },
    { by: "month", from: "2026-01-01" },
  ],
  run: async ({ by, account, mode, ...days }, { db, accounts, config: { timeZone: zone } }: BooksRoom) => {
    const accountId = account === undefined ? undefined : (await accounts.find(account)).id;
    const { from, to } = periodOf(days, zone);
    const asked = { from, to, accountId, mode };
    const sums = by === "vendor" ? await vendorSums(db, asked, zone) : await summary(db, asked, { by, zone });
    const nameOf = by === "account" ? await accounts.emails() : (name: string) => name;
    return {
      from: isoOf(from),
      to: isoOf(to),
      time_zone: zone.name,
      by,
      groups: sums.map(({ group, mode, kind, count, charged, feeKobo, byState }) => ({
        group: nameOf(group),
        ...{ mode, kind, count, charged, fees: nairaOf(feeKobo), by_state: byState },
      })),
    };
  },
});

/** Questions to vendors as a summary has them. They charge nobody. */
async function vendorSums(db: Audited["db"], period: SummaryPeriod, zone: TimeZone): Promise<VerificationSummary[]> {
  const sums = await questionSums(db, period, { by: "vendor", zone, prices: {} });
  return sums.map(({ asked, byOutcome, ...group }) => ({
    ...{ ...group, count: asked, charged: 0, feeKobo: 0 },
    byState: Object.assign(noStates(), byOutcome),
  }));
}

const showVerification = command({
  id: "ledger.show",
  summary: "Show one verification: its state, its charge, and each question to a vendor, without personal data.",
  role: "viewer",
  kind: "read",
  target: ["reference"],
  input: Type.Object({ reference: Type.String({ description: "The request_reference of the verification." }) }),
  answer: Type.Object({
    request_reference: Type.String(),
    account_id: Type.String(),
    key_id: Type.String(),
    mode,
    kind: Type.Enum([...checkKinds]),
    state: Type.Enum([...states]),
    subject: Type.String(),
    amount: Type.String(),
    amount_differs: Type.Boolean(),
    quoted_fee: Type.String(),
    charged: Type.Boolean(),
    charged_at: orNull(instant),
    consent_reference: orNull(Type.String()),
    key_kept: Type.Boolean(),
    record_kept: Type.Boolean(),
    created_at: instant,
    started_at: instant,
    completed_at: orNull(instant),
    request_id: Type.String(),
    attempts: Type.Array(
      Type.Object({
        number: Type.Integer(),
        vendor: Type.String(),
        asked_at: instant,
        answered_at: orNull(instant),
        outcome: Type.Enum([...states]),
        reason: orNull(Type.Enum([...attemptReasons])),
        vendor_reference: orNull(Type.String()),
        price: orNull(Type.String()),
        request_id: Type.String(),
      }),
    ),
    adjustments: Type.Array(
      Type.Object({ id: Type.String(), at: instant, fees: Type.String(), reason: Type.String() }),
    ),
    audit_entries: Type.Array(
      Type.Object({ occurred_at: instant, kind: Type.String(), actor: Type.String(), facts: Type.String() }),
    ),
  }),
  view: ({ attempts, adjustments, audit_entries, ...shown }) => [
    { record: shown },
    "",
    { title: "Questions to vendors:", rows: attempts, none: "No vendor was asked." },
    "",
    { title: "Adjustments:", rows: adjustments, none: "No adjustment." },
    "",
    { title: "Audit trail:", rows: audit_entries, none: "The audit trail does not mention it yet." },
  ],
  examples: [{ reference: "3wKwKW719640695" }],
  run: async ({ reference }, { db, auditEntries }: Audited & WithAuditEntries) => {
    const found = await anyVerification(db, reference);
    return {
      request_reference: found.reference,
      account_id: found.account_id,
      key_id: found.key_id,
      mode: found.mode,
      kind: found.kind,
      state: found.state,
      subject: found.subject_last4 === erased ? erased : `*******${found.subject_last4}`,
      amount: nairaOf(found.amount),
      amount_differs: found.amount_differs === 1,
      quoted_fee: nairaOf(found.fee),
      charged: found.charged === 1,
      charged_at: isoOf(found.charged_at),
      consent_reference: found.consent_reference,
      key_kept: found.idempotency_hash !== null,
      record_kept: found.sealed_record !== null,
      created_at: isoOf(found.created_at),
      started_at: isoOf(found.started_at),
      completed_at: isoOf(found.completed_at),
      request_id: found.request_id,
      attempts: found.attempts.map((attempt) => ({
        number: attempt.number,
        vendor: attempt.vendor,
        asked_at: isoOf(attempt.asked_at),
        answered_at: isoOf(attempt.answered_at),
        outcome: attempt.outcome,
        reason: attempt.reason,
        vendor_reference: attempt.vendor_reference,
        price: attempt.price === null ? null : nairaOf(attempt.price),
        request_id: attempt.request_id,
      })),
      adjustments: (await adjustmentsOf(db, found)).map(({ id, at, kobo, reason }) => ({
        ...{ id, at: isoOf(at), fees: nairaOf(kobo), reason },
      })),
      audit_entries: (await auditEntries(reference)).map(({ occurredAt, kind, actor, facts }) => ({
        ...{ occurred_at: isoOf(occurredAt), kind, actor, facts },
      })),
    };
  },
});

const listUnknowns = command({
  id: "ledger.unknowns",
  summary: "List the verifications with an unknown outcome, oldest first.",
  description:
    "A caller gets the outcome with a retry and the same idempotency key. Duba also asks vendors for it in the background, if " +
    "they can look it up.",
  role: "viewer",
  kind: "read",
  input: Type.Object({}),
  answer: Type.Array(
    Type.Object({
      request_reference: Type.String(),
      account: Type.String(),
      mode,
      upstream: orNull(Type.String()),
      since: instant,
      attempts: Type.Integer(),
    }),
  ),
  none: "No verification has an unknown outcome.",
  examples: [{}],
  run: async (_, { db, accounts }: Audited & WithAccounts) => {
    const [found, emailOf] = [await unknownVerifications(db), await accounts.emails()];
    return found.map((row) => ({
      request_reference: row.reference,
      account: emailOf(row.account_id),
      mode: row.mode,
      upstream: lastVendor(row),
      since: isoOf(row.started_at),
      attempts: row.attempts.length,
    }));
  },
});

export const ledgerCommands = [listVerificationsCommand, summarizeLedger, showVerification, listUnknowns];
