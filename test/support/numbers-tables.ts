import { type CheckKind, checkKinds, labelOf } from "../../src/declare/check-kind.ts";
import { sandboxNumbers } from "../../src/vendors/sandbox/numbers.ts";

const heading = "| number | result | retry with its key | what happens |\n| --- | --- | --- | --- |";

/** The table of the sandbox's numbers for the first kind, and for each kind whose numbers differ. */
export function numbersTables(): string {
  const [first, ...others] = checkKinds as readonly [CheckKind, ...CheckKind[]];
  const usual = numbersOf(first);
  const own = others.filter((kind) => numbersOf(kind) !== usual);
  return [tableOf(first), ...own.map((kind) => `Of a ${labelOf(kind)}:\n\n${tableOf(kind)}`)].join("\n\n");
}

const numbersOf = (kind: CheckKind) => String(sandboxNumbers(kind).map(({ number }) => number));

function tableOf(kind: CheckKind): string {
  const rows = sandboxNumbers(kind).map(({ number, result, retried, description }) => {
    const [first, second] = [result, retried].map((text) => (text === "VERIFIED" ? text : `\`${text}\``));
    return `| \`${number}\` | ${first} | ${second === first ? "the same" : second} | ${description} |`;
  });
  return [heading, ...rows].join("\n");
}
