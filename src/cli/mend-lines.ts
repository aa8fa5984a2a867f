import type { EveryCommand } from "../commands/context.ts";
import type { Mend } from "../declare/command/mend.ts";
import { plainText } from "../declare/command/rich-text.ts";
import { withLines } from "../declare/command/with-lines.ts";

/** Formats mends as a terminal prints them, such as "See them: duba events list". */
export async function mendLines(mends: readonly Mend[], commands: EveryCommand): Promise<string[]> {
  const written = await withLines(mends, commands);
  return written.map(({ says, line }) => `${plainText(says, { at: (time) => new Date(time).toISOString() })}: ${line}`);
}
