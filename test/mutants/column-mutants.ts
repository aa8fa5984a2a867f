import type { Mutant } from "./mutant.ts";

const charges = "src/ledger/charges.ts";
const chargeTests = ["src/ledger/charges.test.ts", "src/ledger/spending/exact-spending.test.ts"];
const spending = "src/ledger/spending/spending.ts";
const spendingTests = ["src/ledger/spending/exact-spending.test.ts"];
const outcome = "src/ledger/statements/end-run.ts";
const outcomeTests = ["src/ledger/ledger.test.ts"];
const adjust = "src/features/books/adjust.ts";
const adjustTests = ["src/features/books/adjust.test.ts"];
const settle = "src/ledger/settle.ts";
const settleTests = ["src/ledger/settle.test.ts"];
const terms = "src/access/accounts/terms.ts";
const termsTests = ["src/access/accounts/terms.test.ts"];
const attempts = "src/ledger/attempts.ts";
const attemptTests = ["src/ledger/ledger.test.ts", "src/ledger/settle.test.ts"];
const price = "src/features/books/price-attempts.ts";
const priceTests = ["src/ledger/journal/recounted-sums.test.ts"];

type Fault = [name: string, from: string, to: string];

const inFile = (file: string, tests: readonly string[], faults: readonly Fault[]): Mutant[] =>
  faults.map(([name, from, to]) => ({ name, file, from, to, tests }));

/** Faults in the columns that statements of money write, and in the conditions that say whose. */
export const columnMutants: readonly Mutant[] = [
  ...inFile(charges, chargeTests, [
    ["a charge leaves the row uncharged", "          charged: 1,\n", ""],
    ["a charge leaves the mark as it was", "          charge_mark: mark,\n", ""],
    ["a charge after a reversal gets a new time", "row.charged_at ?? at,", "at,"],
    ["a charge leaves the period that it is taken from as it was", "          spends: budget?.period ?? null,\n", ""],
    ["a row that is not verified is charged", '        .where("state", "=", "verified")\n', ""],
    ["a charge takes nothing", "take(db, changed, { ...budget, reference }, kindOf(budget))", ""],
    ["a charge is not in the journal", 'addToJournal(db, changed, entryOf(row, "charge", at), false),', ""],
    ["a charge after a reversal is no entry of its own", "if (charged)\n", "if (!charged)\n"],
    ["a charge after a reversal counts none", "{ charges: 1, kobo: row.fee, at,", "{ charges: -1, kobo: row.fee, at,"],
    ["a charge after a reversal comes to nothing", "{ charges: 1, kobo: row.fee, at,", "{ charges: 1, kobo: 0, at,"],
    [
      "a charge after a reversal has the time of the first",
      "{ charges: 1, kobo: row.fee, at,",
      "{ charges: 1, kobo: row.fee, at: row.charged_at,",
    ],
    ["a record that is given leaves its charge open", '.set({ charge_mark: "" })', ".set({ charge_mark })"],
    [
      "a reversal leaves the row charged",
      ".set({ charged: 0, charge_mark: newChargeMark() })",
      ".set({ charge_mark: newChargeMark() })",
    ],
    [
      "a reversal leaves the mark as it was",
      ".set({ charged: 0, charge_mark: newChargeMark() })",
      ".set({ charged: 0 })",
    ],
    ["a reversal counts as a charge", "{ charges: -1, kobo, at,", "{ charges: 1, kobo, at,"],
    ["a reversal comes to nothing", "{ charges: -1, kobo, at,", "{ charges: -1, kobo: 0, at,"],
    ["a reversal has another time", "{ charges: -1, kobo, at,", "{ charges: -1, kobo, at: waived.created_at,"],
    [
      "a reversal is not in the journal",
      'await addToJournal(trx, inTable, { ...entryOf(waived, "reversal", at), kobo }, false).execute();',
      "",
    ],
    ["the journal has the whole fee of a reversal", '"reversal", at), kobo }, false)', '"reversal", at) }, false)'],
    ["a reversal gives nothing back to a cap", "if (waived.spends) await", 'if (waived.spends === "prepaid") await'],
    [
      "a reversal gives nothing back to a balance",
      "if (waived.spends) await",
      'if (waived.spends !== "prepaid") await',
    ],
    [
      "a balance gets back what a correction gave already",
      "lowerBalance(trx, waived.account_id, waived.fee + kobo)",
      "lowerBalance(trx, waived.account_id, 0)",
    ],
    [
      "a charge that is on its way finds its mark",
      ".set({ charge_mark: newChargeMark() })\n",
      ".set({ charge_mark: replaces })\n",
    ],
    [
      "a charge that was made is barred",
      '.where("charged", "=", 0)\n      .where("charge_mark", "=", replaces)',
      '.where("charge_mark", "=", replaces)',
    ],
    [
      "a later charge is barred",
      '.where("charged", "=", 0)\n      .where("charge_mark", "=", replaces)',
      '.where("charged", "=", 0)',
    ],
    ["the journal counts a charge as a reversal", 'what === "charge" ? 1 : 0', "0"],
    ["the journal has a charge without its fee", 'what === "charge" ? fee : -fee', "-fee"],
    [
      "the journal has another time of a charge",
      "return { reference, run, at, what, charged,",
      "return { reference, run, at: 0, what, charged,",
    ],
    [
      "an entry is of another mode",
      "reference, account_id, mode, kind, ...line",
      'reference, account_id, mode: "live", kind, ...line',
    ],
    [
      "an entry is of another kind",
      "reference, account_id, mode, kind, ...line",
      'reference, account_id, mode, kind: "nin", ...line',
    ],
    [
      "an entry is of no verification",
      "reference, account_id, mode, kind, ...line",
      "reference: null, account_id, mode, kind, ...line",
    ],
  ]),
  ...inFile(spending, spendingTests, [
    ["a verification takes a kobo less than its fee", 'kobo: sql.ref<number>("fee")', "kobo: sql<number>`fee - 1`"],
    [
      "a verification takes its fee from another period",
      'row.ref("spends").$notNull().as("period")',
      'row.val("2026-03").as("period")',
    ],
    ["a verification counts twice", "verifications: sql.lit<number>(1)", "verifications: sql.lit<number>(2)"],
    [
      "a first verification has a cap of nothing in naira",
      "most_kobo: sql.val(most_kobo)",
      "most_kobo: sql.val<number | null>(null)",
    ],
    [
      "a first verification has no cap of verifications",
      "most_verifications: sql.val(most_verifications)",
      "most_verifications: sql.val<number | null>(null)",
    ],
    [
      "the second fee takes the place of the first",
      'row("spending.kobo", "+", row.ref("excluded.kobo"))',
      'row.ref("excluded.kobo")',
    ],
    [
      "the second verification counts for nothing",
      'row("spending.verifications", "+", row.ref("excluded.verifications"))',
      'row.ref("spending.verifications")',
    ],
    ["a new cap in naira waits for the next month", 'most_kobo: row.ref("excluded.most_kobo"),', ""],
    [
      "a new cap of verifications waits for the next month",
      'most_verifications: row.ref("excluded.most_verifications"),',
      "",
    ],
    ["a fee in place of a balance's top-ups", 'kind === "cap"\n', 'kind !== "balance" || kind === "balance"\n'],
    [
      "a fee that goes back stays spent",
      'row("spending.kobo", "-", row.ref("verification.fee"))',
      'row("spending.kobo", "-", 0)',
    ],
    [
      "a verification that is not charged still counts",
      'row("spending.verifications", "-", 1)',
      'row("spending.verifications", "-", 0)',
    ],
    ["a fee goes back to other accounts", '    .whereRef("spending.account_id", "=", "verification.account_id")\n', ""],
    ["a fee goes back to other periods", '\n    .whereRef("spending.period", "=", "verification.spends")', ""],
    [
      "a debit is added to the balance",
      '.set((row) => ({ most_kobo: row("most_kobo", "-", kobo) }))',
      '.set((row) => ({ most_kobo: row("most_kobo", "+", kobo) }))',
    ],
    [
      "a debit lowers every balance",
      '    .where("account_id", "=", accountId)\n    .where("period", "=", balancePeriod)\n    .where((row) =>',
      '    .where("period", "=", balancePeriod)\n    .where((row) =>',
    ],
    [
      "a debit lowers the caps of months",
      '    .where("account_id", "=", accountId)\n    .where("period", "=", balancePeriod)\n    .where((row) =>',
      '    .where("account_id", "=", accountId)\n    .where((row) =>',
    ],
  ]),
  ...inFile(outcome, outcomeTests, [
    ["an outcome that charges leaves the row uncharged", "charged: charge === null ? 0 : 1,", "charged: 0,"],
    [
      "an outcome without a charge has the time of one",
      "charged_at: charge === null ? null : stored.at,",
      "charged_at: stored.at,",
    ],
    [
      "an outcome that charges has no time of it",
      "charged_at: charge === null ? null : stored.at,",
      "charged_at: null,",
    ],
    ["an outcome writes no mark of its charge", 'charge_mark: charge ?? "",', 'charge_mark: "",'],
    ["the journal has an outcome without its fee", "kobo: charge === null ? 0 : (", "kobo: 0 * ("],
    ["the journal has a fee for what is not charged", "kobo: charge === null ? 0 : (", "kobo: ("],
    [
      "an unknown outcome is complete",
      'completed_at: ends === "unknown" ? null : stored.at,',
      "completed_at: stored.at,",
    ],
  ]),
  ...inFile(adjust, adjustTests, [
    ["a correction is of no verification", "reference: reference ?? null,", "reference: null,"],
    ["a correction counts as a charge", "      charges: 0,\n", "      charges: 1,\n"],
    ["a correction has no kind", "kind: corrected?.kind ?? null,", "kind: null,"],
    [
      "a correction comes to nothing",
      "      kobo,\n      reason,\n    };\n    await trx",
      "      kobo: 0,\n      reason,\n    };\n    await trx",
    ],
    ["a correction changes no balance", 'if (mode === "live") await adjustBalance(trx, accountId, kobo);', ""],
    [
      "a correction changes a balance the other way",
      "lowerBalance(trx, accountId, kobo)",
      "lowerBalance(trx, accountId, -kobo)",
    ],
    [
      "a correction changes the balance of an account that pays later",
      "if (!account || !(JSON.parse(account.terms) as AccountTerms).prepaid) return;",
      "if (!account) return;",
    ],
  ]),
  ...inFile(settle, settleTests, [
    ["a settled verification has no end", ".set({ ...stored, completed_at: at })", ".set({ ...stored })"],
    [
      "the journal has a settled verification that nobody was told of",
      "told_unknown: 1 } as const;",
      "told_unknown: 0 } as const;",
    ],
    ["the journal has no bill of a settled attempt", "...(answer ? journaledBill(answer) : noBill),", "...noBill,"],
    [
      "the journal has no bill of an ended attempt",
      "attempt: attempt.number, ...journaledBill(answer) }",
      "attempt: attempt.number, ...noBill }",
    ],
    ["a settled attempt stays open", "if (answer) await closeAttempt(", "if (!row) await closeAttempt("],
    [
      "an attempt that a vendor bills is released",
      'lost.includes(number) ? "record_lost" : reason',
      "lost.includes(number) ? reason : reason",
    ],
  ]),
  ...inFile(terms, termsTests, [
    [
      "a top-up adds nothing to the balance",
      '.set((row) => ({ most_kobo: row("most_kobo", "+", kobo) }))',
      '.set((row) => ({ most_kobo: row("most_kobo", "+", 0) }))',
    ],
    ["a top-up is of another amount", "at: now, kobo, reason, actor })", "at: now, kobo: 0, reason, actor })"],
    [
      "a top-up raises every balance",
      '      .where("account_id", "=", account.id)\n      .where("period", "=", balancePeriod);',
      '      .where("period", "=", balancePeriod);',
    ],
    [
      "a top-up raises the caps of months",
      '      .where("account_id", "=", account.id)\n      .where("period", "=", balancePeriod);',
      '      .where("account_id", "=", account.id);',
    ],
    [
      "a new cap counts no charge from before",
      "        or (spends is null and charged = 1",
      "        or (spends is null and charged = 2",
    ],
    ["a new cap counts charges of last month", " and charged_at >= ${start}))", "))"],
    [
      "a new cap is that of all accounts",
      '    .where("account_id", "=", accountId)\n    .where("period", "=", period)',
      '    .where("period", "=", period)',
    ],
  ]),
  ...inFile(attempts, attemptTests, [
    ["an attempt begins without its price", "    bill: price,\n", "    bill: null,\n"],
    [
      "the bill of an attempt under way is certain",
      "    bill_certain: 0,\n    answered_at: null,",
      "    bill_certain: 1,\n    answered_at: null,",
    ],
    [
      "the bill of an outcome is that of another",
      "bill: kobo, bill_certain: isCertain ? 1 : 0",
      "bill: attempt.bill, bill_certain: isCertain ? 1 : 0",
    ],
    ["no bill is certain", "bill_certain: isCertain ? 1 : 0", "bill_certain: 0"],
  ]),
  ...inFile(price, priceTests, [
    ["a price that comes later leaves the bill as it was", ".set(same[0]!.is)", ".set({ price: same[0]!.is.price })"],
    ["a price that comes later is not in the sums", "billed_kobo: bill ?? 0,", "billed_kobo: 0,"],
    [
      "a price that comes later leaves a bill unpriced in the sums",
      "unsure_kobo: unsure, unpriced }",
      "unsure_kobo: unsure }",
    ],
    ["a price that comes later leaves a bill unsure in the sums", "unsure_kobo: unsure, unpriced }", "unpriced }"],
  ]),
];
