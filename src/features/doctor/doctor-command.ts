import type { CommandContext } from "../../commands/context.ts";
import { mendsMember, orNull, reference, time } from "../../declare/command/answer-schema.ts";
import { plainText } from "../../declare/command/rich-text.ts";
import { command } from "../../declare/command.ts";
import Type from "../../declare/schema/type.ts";

export const doctorCommand = command({
  id: "doctor",
  title: "Check this machine",
  summary: "Check this machine before live keys use it.",
  description:
    "It checks settings, files, clock, TLS and prices, and changes nothing. " +
    "Run it as the user of the service, with the settings of the service. " +
    "Each check says what is wrong and what would be right. The exit code is 1 if a check fails.",
  role: "viewer",
  kind: "read",
  only: "terminal",
  answer: Type.Array(
    Type.Object({
      check: Type.String(),
      passed: Type.Boolean(),
      sentence: Type.String(),
      mends: mendsMember,
      subject: orNull(reference),
      since: orNull(time),
    }),
  ),
  view: (results, { at }) => {
    const failed = results.filter(({ passed }) => !passed).length;
    return [
      ...results.map(({ check, passed, sentence, mends }) => {
        const lines = mends.map(({ says, line }) => ` ${plainText(says, { at })}: ${line}`);
        return `${passed ? "ok   " : "WRONG"}  ${check}: ${sentence}${lines.join("")}`;
      }),
      "",
      failed === 0
        ? `All ${results.length} checks passed.`
        : { problem: `${failed} of ${results.length} checks failed.` },
    ];
  },
  isWell: (results) => results.every(({ passed }) => passed),
  run: async (_, room: CommandContext) => (await import("./machine-checks.ts")).checkMachine(room),
});
