import type { CommandContext } from "../../commands/context.ts";
import { answerFiles } from "../../declare/command/answer-schema.ts";
import { day, lastDay } from "../../declare/command/forms.ts";
import { files, formed } from "../../declare/command/read-texts.ts";
import { command } from "../../declare/command.ts";
import Type from "../../declare/schema/type.ts";
import { periodOf } from "../../ledger/commands/period.ts";

export const evidenceCommand = command({
  id: "evidence",
  title: "Evidence for an auditor",
  summary: "Write what an auditor of data protection works from, as a folder of tables.",
  description:
    "It has what is processed and why, recipients, retention as set and as swept, how many people, " +
    "exports and erasures, who had which access, measures and incidents, and a hash of each file. " +
    "It holds no personal data. It is evidence for a licensed auditor, and no statement that a law is kept.",
  onTerminal: "Settings are those of this shell: run it as the service runs. `--out evidence/` names the folder.",
  role: "officer",
  kind: "read",
  only: "terminal",
  store: "untimed",
  input: Type.Object({
    from: formed(day, { description: "First day.", placeholder: "day" }),
    to: Type.Optional(
      formed(lastDay, { description: "Last day of the period. Default: until now.", placeholder: "day" }),
    ),
    basis: Type.Optional(
      files({
        description:
          "CSV file with what you state: about, purpose, basis, country. About an activity (bvn, nin, accounts, " +
          "people, trail) or a vendor.",
        placeholder: "file",
      }),
    ),
  }),
  answer: Type.Object({ files: answerFiles }),
  view: ({ files }) => [
    files.length === 1
      ? "For each table as a file of its own, name a folder: --out evidence/"
      : `${files.length} files. Check them: sha256sum -c SHA256SUMS`,
  ],
  examples: [{ from: "2026-01-01", to: "2026-06-30" }],
  run: async ({ basis = [], ...days }, room: CommandContext) => {
    const [{ evidenceFiles, mayBeAbout }, { readBasis }] = await Promise.all([
      import("./evidence-files.ts"),
      import("./basis.ts"),
    ]);
    const period = periodOf(days, room.config.timeZone, room.now());
    const made = await evidenceFiles(room, period, await readBasis(basis, mayBeAbout));
    const text = made.map((file) => `==> ${file.name} <==\n${file.text}\n`).join("");
    return { files: room.savesSeveral ? made : [{ name: "evidence.txt", text }] };
  },
});
