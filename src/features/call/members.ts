import { checkKinds } from "../../declare/check-kind.ts";
import { closestName } from "../../declare/closest-name.ts";
import { InputError } from "../../declare/command/read-texts.ts";
import { isRepeatable } from "../../declare/fields.ts";
import type { Operation } from "../../declare/operation.ts";
import type { Io } from "../../terminal/io.ts";
import { asker } from "../../terminal/stdin-lines.ts";

/**
 * Members that do not belong on a command line, because other users and the shell's history would show their values.
 */
export const privateMembers: ReadonlySet<string> = new Set([...checkKinds, "password"]);

/**
 * The members in `name=value` arguments, in their order; each `name=-` takes the next line of standard input. Throws an
 * `InputError` that repeats no value, only harmless names.
 */
export async function readMembers(
  operation: Operation<never>,
  given: readonly string[],
  io: Pick<Io, "stdin" | "err">,
): Promise<Map<string, string>> {
  const members = new Map<string, string>();
  for (const [index, argument] of given.entries()) {
    const [name, value] = split(operation, argument, index + 1);
    if (members.has(name)) throw new InputError(`The member ${name} appears twice.`);
    members.set(name, value);
  }
  const ask = asker(io);
  for (const [name, value] of members) {
    if (value !== "-") continue;
    const line = await ask.line(`${name}: `);
    if (line === undefined) throw new InputError(`Standard input has no line for ${name}.`);
    members.set(name, line);
  }
  await ask.end();
  return members;
}

function split(operation: Operation<never>, argument: string, position: number): [name: string, value: string] {
  const known = Object.keys(operation.input.properties);
  const end = argument.indexOf("=");
  const listed = known.length === 0 ? "It has no members." : `Its members: ${known.join(", ")}.`;
  if (end < 1) throw new InputError(`Argument ${position} of ${operation.id} must have the form name=value. ${listed}`);
  const name = argument.slice(0, end);
  if (known.includes(name)) return [name, argument.slice(end + 1)];
  const meant = closestName(name, known);
  const called = isRepeatable(name) ? ` ${name}` : ` with the name in argument ${position}`;
  throw new InputError(`${operation.id} has no member${called}. ${meant ? `Did you mean ${meant}?` : listed}`);
}
