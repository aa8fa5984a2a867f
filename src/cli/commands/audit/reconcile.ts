import type { Command } from "commander";
import type { LedgerDifference } from "../../../audit/reconcile.ts";
import { settings } from "../../../config/settings.ts";
import { inSnapshot } from "../../../storage/audited.ts";
import { examples, section, subcommand } from "../../terminal/help.ts";
import type { Io } from "../../terminal/io.ts";
import { settingOption } from "../../terminal/options.ts";
import { painter, shown } from "../../terminal/table.ts";
import { withStore } from "../../with-store.ts";

/** `duba audit reconcile`. The exit code is 1 when the ledger and the trail differ. */
export function addReconcile(audit: Command, io: Io, setExitCode: (exitCode: number) => void): void {
  const about =
    "Compare the ledger with the audit trail. List each finished verification that is missing on one of them, or that " +
    "differs between them. The exit code is 1 if there is one.";
  const command = subcommand(audit, "reconcile", about)
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the result as JSON")
    .action(async ({ data, json }: { data?: string; json?: true }) => {
      const [{ reconcile }, { ledgerAuditEvents }] = await Promise.all([
        import("../../../audit/reconcile.ts"),
        import("../../../identity/ledger/audit-outbox.ts"),
      ]);
      const differences: LedgerDifference[] = [];
      const found = (difference: LedgerDifference) => {
        if (json) differences.push(difference);
        else io.out(`${shown(`Verification ${difference.reference}: ${difference.what}.`)}\n`);
      };
      const result = await withStore(
        io,
        data,
        ({ db }) => inSnapshot(db, (snapshot) => reconcile(snapshot, { ledger: ledgerAuditEvents(snapshot), found })),
        { patient: true },
      );
      const { verifications, recorded } = result;
      const read = `${verifications} ${verifications === 1 ? "verification" : "verifications"} on the ledger, ${recorded} on the trail.`;
      if (json) {
        const agree = result.differences === 0;
        io.out(`${JSON.stringify({ agree, verifications, recorded, differences }, null, 2)}\n`);
      } else if (result.differences === 0) io.out(`The ledger and the audit trail agree: ${read}\n`);
      else {
        const verdict = `There ${result.differences === 1 ? "is 1 difference" : `are ${result.differences} differences`}.`;
        io.err(`${painter(io.colours?.err)("red", verdict)} ${read}\n`);
      }
      setExitCode(result.differences === 0 ? 0 : 1);
    });
  section(command, "What to know:", [
    [
      "Verify first",
      "This command does not check the seals. `duba audit verify` shows whether somebody changed an entry.",
    ],
    [
      "Not compared",
      "Verifications that run, or that finished in the last seconds, and verifications that retention removes in these days.",
    ],
  ]);
  examples(command, "duba audit reconcile", "duba audit reconcile --json");
}
