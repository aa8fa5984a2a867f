import { labelOf } from "../../declare/check-kind.ts";
import type { Letter, LetterDay } from "../../declare/command/letter.ts";
import { nairaText } from "../../declare/money.ts";
import type { FoundAccount } from "../../ledger/commands/with-accounts.ts";
import { longDay, monthName, weekday } from "../../runtime/time-zone.ts";
import type { Db } from "../../storage/tables.ts";
import { nobodyYet } from "./business-settings.ts";
import { type StatementHead, statementDays } from "./statement.ts";
import type { StatementLine, StatementTotals } from "./statement-shapes.ts";
import { costName, signedKobo } from "./statement-totals.ts";

const amountOf = (text: string) => nairaText(signedKobo(text));
const linesIn = (text: string | null) => text?.split("; ") ?? [];
const countOf = (count: number) => count.toLocaleString("en");
const linesOf = (count: number) => `${countOf(count)} ${count === 1 ? "line" : "lines"}`;

/** A client's statement as a letter. The annex is read day by day. */
export function statementLetter(
  db: Db,
  totals: StatementTotals,
  head: StatementHead,
  client: Pick<FoundAccount, "name" | "email">,
): Letter {
  const { from, to_address, to_tax_number, issued, groups, fees, total, prepaid, due, pay_to } = totals;
  const { tax, tax_name, tax_percent, tax_is } = totals;
  const { number, month, zone } = head;
  const ends = prepaid ? "Paid from the balance" : number === null ? "So far" : "To pay";
  const name = monthName(month);
  const lines = groups.reduce((sum, { count }) => sum + count, 0);
  return {
    title: number === null ? `${name} so far` : `Statement for ${name}`,
    number: number ?? "",
    to: [
      client.name,
      ...linesIn(to_address),
      client.email,
      ...(to_tax_number === null ? [] : [`Tax number ${to_tax_number}`]),
    ],
    from: from === "" ? [nobodyYet] : linesIn(from),
    due: [
      [ends, amountOf(total)],
      ...(due === null ? [] : [["until", longDay(due)] as const]),
      [number === null ? "As of" : "Issued", longDay(issued)],
    ],
    sums: [
      ...groups.map((group) => ({
        what: costName(group),
        number: countOf(group.count),
        amount: amountOf(group.fees),
        ...(group.price !== null && { price: amountOf(group.price) }),
      })),
      { what: "Sum", number: countOf(lines), amount: amountOf(fees) },
      ...(tax_percent > 0
        ? [{ what: `${tax_is === "added" ? "" : "Of which "}${tax_name} ${tax_percent} %`, amount: amountOf(tax) }]
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
      `“Not found” and failed verifications are free. Each charge stands in the annex with its time and reference. Times are ${zone.nameAt(head.from)}.`,
    ],
    annex: { title: `Annex: ${linesOf(lines)}`, about: name, parts: annexOf(db, head) },
  };
}

/** Yields the days of the annex with their sums, and for a complete month finally the hash of the whole statement. */
async function* annexOf(db: Db, head: StatementHead): AsyncGenerator<LetterDay | string> {
  let sha256 = "";
  const tell = (hash: string) => {
    sha256 = hash;
  };
  for await (const all of statementDays(db, head, tell)) {
    const lines = all.filter(({ mode }) => mode === "live");
    if (lines.length === 0) continue;
    const sum = nairaText(lines.reduce((sum, { fee }) => sum + signedKobo(fee), 0));
    yield { title: weekday(lines[0]!.day), about: `${linesOf(lines.length)} · ${sum}`, lines: lines.map(paperLine) };
  }
  if (head.number !== null)
    yield `The same month gives the same lines for ever. SHA-256 of the whole statement: ${sha256}`;
}

function paperLine({ time, reference, kind, line, reason, fee }: StatementLine): LetterDay["lines"][number] {
  const what = line === "charge" && kind !== "" ? labelOf(kind) : reason;
  return { clock: time.slice(11, 19), reference, what, amount: amountOf(fee).replace("₦", "") };
}
