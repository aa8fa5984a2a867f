import { type Command, InvalidArgumentError, Option } from "commander";
import { findAccount, listAccounts } from "../../access/accounts/accounts.ts";
import { settings } from "../../config/settings.ts";
import { erased } from "../../identity/ledger/attempt-outcome.ts";
import { unknownVerifications, verificationByReference } from "../../identity/ledger/inspect.ts";
import { summary, type VerificationSummary } from "../../identity/ledger/summary.ts";
import { nairaOf } from "../../operation/money.ts";
import type { Mode } from "../../operation/operation.ts";
import { withStore } from "../store.ts";
import { dayOf } from "../terminal/expiry.ts";
import { examples, subcommand } from "../terminal/help.ts";
import { type Io, redact } from "../terminal/io.ts";
import { settingOption } from "../terminal/options.ts";
import { painter, record, table, timeOf } from "../terminal/table.ts";

interface SummaryOptions {
  account?: string;
  mode?: Mode;
  from?: number;
  to?: number;
  data?: string;
  json?: true;
}

/** `duba ledger`: verifications and charges, without personal data. */
export function addLedger(program: Command, io: Io): void {
  const ledger = subcommand(
    program,
    "ledger",
    "Read the ledger of verifications and charges: summary, show, unknowns.",
  );
  addSummary(ledger, io);
  addShow(ledger, io);
  addUnknowns(ledger, io);
  examples(ledger, "duba ledger summary --from 2026-11-01 --to 2026-12-01", "duba ledger show 3wKwKW719640695");
}

function addSummary(ledger: Command, io: Io): void {
  const about =
    "Count the verifications of a period by account, mode and state, and add up the charges and fees in naira. The command " +
    "subtracts a reversed charge in the period of the reversal, so past periods do not change. It never adds test and live " +
    "together.";
  const command = subcommand(ledger, "summary", about)
    .option("--account <id or e-mail>", "Only this account.")
    .addOption(new Option("--mode <mode>", "Only test or only live.").choices(["test", "live"]))
    .addOption(dayOption("--from <day>", "First day, in UTC. Default: the first day of this month."))
    .addOption(dayOption("--to <day>", "Day after the last day of the period, in UTC. Default: until now."))
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the summary as JSON")
    .action(async ({ account, mode, from = startOfMonth(), to = Date.now(), data, json }: SummaryOptions) => {
      const { entries, emails } = await withStore(io, data, async ({ db }) => {
        const accountId = account === undefined ? undefined : (await findAccount(db, account)).id;
        const period = { from, to, ...(accountId && { accountId }), ...(mode && { mode }) };
        const accounts = await listAccounts(db);
        return { entries: await summary(db, period), emails: new Map(accounts.map(({ id, email }) => [id, email])) };
      });
      const emailOf = ({ accountId }: VerificationSummary) => emails.get(accountId) ?? accountId;
      if (json) {
        const period = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
        const accounts = entries.map((entry) => ({ account: emailOf(entry), ...facts(entry) }));
        return io.out(`${JSON.stringify({ ...period, accounts }, null, 2)}\n`);
      }
      io.err(`From ${timeOf(from)} until ${timeOf(to)}. Fees in naira.\n`);
      const rows = entries.map((entry) => {
        const { by_state, ...sums } = facts(entry);
        return { account: emailOf(entry), ...sums, ...by_state };
      });
      io.out(table(rows, painter(io.colours?.out)));
    });
  examples(
    command,
    "duba ledger summary",
    "duba ledger summary --account shop@example.com --mode live --from 2026-11-01 --to 2026-12-01 --json",
  );
}

function addShow(ledger: Command, io: Io): void {
  const command = subcommand(
    ledger,
    "show",
    "Show one verification: state, attempts and charge, without personal data.",
  )
    .argument("<reference>", "The request_reference of the verification.")
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print it as JSON")
    .action(async (reference: string, { data, json }: { data?: string; json?: true }) => {
      const found = await withStore(io, data, ({ db }) => verificationByReference(db, reference));
      if (!found)
        throw new UnknownReferenceFault(`The ledger has no verification with the reference "${redact(reference)}".`);
      const time = (milliseconds: number | null) => milliseconds && new Date(milliseconds).toISOString();
      const shown = {
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
        charged_at: time(found.charged_at),
        consent_reference: found.consent_reference,
        key_kept: found.idempotency_hash !== null,
        record_kept: found.sealed_record !== null,
        created_at: time(found.created_at),
        started_at: time(found.started_at),
        completed_at: time(found.completed_at),
      };
      io.out(json ? `${JSON.stringify(shown, null, 2)}\n` : record(shown, painter(io.colours?.out)));
    });
  examples(command, "duba ledger show 3wKwKW719640695");
}

function addUnknowns(ledger: Command, io: Io): void {
  const about =
    "List the verifications with an unknown outcome, oldest first. A caller gets the outcome with a retry and the same " +
    "idempotency key. Duba also asks vendors for it in the background, if they can look it up.";
  const command = subcommand(ledger, "unknowns", about)
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print them as JSON")
    .action(async ({ data, json }: { data?: string; json?: true }) => {
      const { found, emails } = await withStore(io, data, async ({ db }) => ({
        found: await unknownVerifications(db),
        emails: new Map((await listAccounts(db)).map(({ id, email }) => [id, email])),
      }));
      const rows = found.map(({ reference, account_id, mode, upstream, started_at, attempts }) => ({
        request_reference: reference,
        account: emails.get(account_id) ?? account_id,
        mode,
        upstream,
        since: json ? new Date(started_at).toISOString() : timeOf(started_at),
        attempts,
      }));
      if (json) return io.out(`${JSON.stringify(rows, null, 2)}\n`);
      if (rows.length === 0) return io.out("No verification has an unknown outcome.\n");
      io.out(
        table(
          rows.map((row) => ({ ...row, upstream: row.upstream ?? "-" })),
          painter(io.colours?.out),
        ),
      );
    });
  examples(command, "duba ledger unknowns", "duba ledger unknowns --json");
}

class UnknownReferenceFault extends Error {
  readonly exitCode = 1;
}

function facts({ mode, count, charged, feeKobo, byState }: VerificationSummary) {
  return { mode, count, charged, fees: nairaOf(feeKobo), by_state: byState };
}

function dayOption(flags: string, about: string): Option {
  return new Option(flags, about).argParser((text: string) => {
    const day = dayOf(text);
    if (day === undefined) throw new InvalidArgumentError("It must be a day such as 2026-11-01.");
    return day;
  });
}

function startOfMonth(): number {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
}
