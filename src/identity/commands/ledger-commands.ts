import Type from "typebox";
import { checkKinds } from "../../operation/check-kind.ts";
import { instant, isoOf, list, orNull, timeText } from "../../operation/command/answer-schema.ts";
import { CommandFault, command } from "../../operation/command.ts";
import { nairaOf } from "../../operation/money.ts";
import { redactCredentials, redactNumbers } from "../../runtime/redact.ts";
import type { Audited } from "../../storage/audited.ts";
import { erased } from "../ledger/attempt-outcome.ts";
import { unknownVerifications, verificationByReference } from "../ledger/inspect.ts";
import { groupings, summary } from "../ledger/summary.ts";
import { states } from "../ledger/transitions.ts";
import { listVerificationsCommand } from "./list-verifications-command.ts";
import { type BooksRoom, period, periodOf, whose } from "./period.ts";
import type { WithAccounts } from "./with-accounts.ts";

const mode = Type.Enum(["test", "live"]);

const summarizeLedger = command({
  id: "ledger.summary",
  summary: "Count the verifications of a period by state, and add up the charges and fees in naira.",
  description:
    "The command subtracts a reversed charge in the period of the reversal, so past periods do not change. It never adds test " +
    "and live together, nor BVNs and NINs. Days and months are those of DUBA_TIME_ZONE.",
  role: "viewer",
  kind: "read",
  input: Type.Object({
    by: Type.Enum([...groupings], { description: "What each line is about.", default: "account" }),
    ...whose,
    ...period,
  }),
  answer: Type.Object({
    from: instant,
    to: instant,
    time_zone: Type.String(),
    by: Type.Enum([...groupings]),
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
    const sums = await summary(db, { from, to, accountId, mode }, { by, zone });
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

const showVerification = command({
  id: "ledger.show",
  summary: "Show one verification: state, attempts and charge, without personal data.",
  role: "viewer",
  kind: "read",
  target: ["reference"],
  input: Type.Object({ reference: Type.String({ description: "The request_reference of the verification." }) }),
  answer: Type.Object({
    request_reference: Type.String(),
    account_id: Type.String(),
    key_id: Type.String(),
    mode,
    state: Type.Enum([...states]),
    upstream: orNull(Type.String()),
    attempts: Type.Integer(),
    attempts_unresolved: Type.Integer(),
    bad_answers: Type.Integer(),
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
  }),
  examples: [{ reference: "3wKwKW719640695" }],
  run: async ({ reference }, { db }: Audited) => {
    const found = await verificationByReference(db, reference);
    if (!found) {
      const named = redactNumbers(redactCredentials(reference));
      throw new CommandFault(`The ledger has no verification with the reference "${named}".`);
    }
    return {
      request_reference: found.reference,
      account_id: found.account_id,
      key_id: found.key_id,
      mode: found.mode,
      state: found.state,
      upstream: found.upstream,
      attempts: found.attempts,
      attempts_unresolved: found.unresolved,
      bad_answers: found.bad_answers,
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
    return found.map(({ reference, account_id, mode, upstream, started_at, attempts }) => ({
      ...{ request_reference: reference, account: emailOf(account_id), mode, upstream },
      ...{ since: isoOf(started_at), attempts },
    }));
  },
});

export const ledgerCommands = [listVerificationsCommand, summarizeLedger, showVerification, listUnknowns];
