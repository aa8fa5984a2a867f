import { labelOf } from "../../operation/check-kind.ts";
import type { Letter, LetterDay } from "../../operation/command/letter.ts";
import { nairaText } from "../../operation/money.ts";
import { longDay, monthName, TimeZone, weekday } from "../../runtime/time-zone.ts";
import { type ClientLetter, type LetterGroup, signedKobo } from "./client-letter.ts";
import type { Statement, StatementLine } from "./statement.ts";

const amountOf = (text: string) => nairaText(signedKobo(text));
const countOf = (count: number) => count.toLocaleString("en");
const linesOf = (count: number) => `${countOf(count)} ${count === 1 ? "line" : "lines"}`;

/** A group of charges as people call it. */
export function costName({ kind, fees }: Pick<LetterGroup, "kind" | "fees">): string {
  if (kind !== "") return `${labelOf(kind)} verifications`;
  return fees.startsWith("-") ? "Given back" : "Corrections";
}

/** The statement of a client on paper. */
export function paperLetter(
  { from, to, groups, fees, tax, tax_percent, tax_is, total, prepaid, due, pay_to }: ClientLetter,
  { lines, number, month, from: begins, time_zone, sha256 }: Omit<Statement, "sums">,
): Letter {
  const isAdded = tax_is === "added";
  const ends = prepaid ? "Paid from the balance" : number === null ? "So far" : "To pay";
  const name = monthName(month);
  const comma = to.lastIndexOf(", ");
  const days = [...Map.groupBy(lines, ({ day }) => day)].map(([day, some]): LetterDay => {
    const sum = nairaText(some.reduce((sum, { fee }) => sum + signedKobo(fee), 0));
    return { title: weekday(day), about: `${linesOf(some.length)} · ${sum}`, lines: some.map(lineOf) };
  });
  return {
    title: number === null ? `${name} so far` : `Statement for ${name}`,
    number: number ?? "",
    to: [to.slice(0, comma), to.slice(comma + 2)],
    from: from === "" ? ["Set DUBA_BUSINESS"] : from.split("; "),
    due: [[ends, amountOf(total)], ...(due === null ? [] : [["until", longDay(due)] as const])],
    sums: [
      ...groups.map((group) => ({
        ...{ what: costName(group), number: countOf(group.count), amount: amountOf(group.fees) },
        ...(group.price !== null && { price: amountOf(group.price) }),
      })),
      { what: "Sum", number: countOf(lines.length), amount: amountOf(fees) },
      ...(tax_percent > 0
        ? [{ what: `${isAdded ? "Tax" : "In it, tax"} ${tax_percent} %`, amount: amountOf(tax) }]
        : []),
      { what: ends, amount: amountOf(total) },
    ],
    pay:
      pay_to === null
        ? []
        : [
            ["To", pay_to],
            ["Reference", number!],
          ],
    notes: [
      `“Not found” and failed verifications are free. Each charge stands in the annex with its time and reference. Times are ${new TimeZone(time_zone).nameAt(Date.parse(begins))}.`,
      ...(number === null
        ? []
        : [`The same month gives the same lines for ever. SHA-256 of the whole statement: ${sha256}`]),
    ],
    annex: { title: `Annex: ${linesOf(lines.length)}`, about: name, days },
  };
}

function lineOf({ time, reference, kind, line, reason, fee }: StatementLine): LetterDay["lines"][number] {
  const what = line === "charge" && kind !== "" ? labelOf(kind) : reason;
  return { clock: time.slice(11, 19), reference, what, amount: amountOf(fee).replace("₦", "") };
}
