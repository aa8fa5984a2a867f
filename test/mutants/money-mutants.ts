import type { Mutant } from "./mutant.ts";

const adjust = "src/features/books/adjust.ts";
const adjustTests = ["src/features/books/adjust.test.ts", "src/features/books/statement.test.ts"];
const terms = "src/access/accounts/terms.ts";
const termsTests = ["src/access/accounts/terms.test.ts", "src/access/commands/terms-commands.test.ts"];
const moves = "src/access/accounts/money-moves.ts";
const charges = "src/ledger/charges.ts";
const pulse = "src/storage/pulse/pulse.ts";
const chargeTests = ["src/ledger/charges.test.ts", "src/verification/unheard-charges.test.ts"];
const undeliveredTests = ["src/verification/undelivered.test.ts"];
const spending = "src/ledger/spending/spending.ts";
const spendingTests = ["src/ledger/spending/spending.test.ts", "src/features/books/adjust.test.ts"];
const expiring = "src/access/keys/announce-expiring.ts";
const expiringTest = ["src/access/keys/announce-expiring.test.ts"];

/** Faults in what money goes back, in balances and caps, and in what operators decide about keys and vendors. */
export const moneyMutants: readonly Mutant[] = [
  {
    name: "a process that was frozen charges before it notes itself again",
    file: pulse,
    from: "    if (!this.isValid()) await this.#beforeTaken();\n",
    to: "",
    tests: chargeTests,
  },
  {
    name: "a process on a machine that slept thinks that it still has its lease",
    file: pulse,
    from: " && Date.now() - wall < leaseTime",
    to: "",
    tests: chargeTests,
  },
  {
    name: "a process that comes back loses the charges that a peer was about to look at",
    file: charges,
    from: ".where(isGone)\n        // A caller",
    to: "// A caller",
    tests: chargeTests,
  },
  {
    name: "a stop leaves its last note to a store that is away for a moment",
    file: "src/verification/leased-verifications.ts",
    from: "performance.now() + againAfter < until",
    to: "performance.now() > until",
    tests: ["src/verification/stop.test.ts"],
  },
  {
    name: "a process that comes back loses its note",
    file: charges,
    from: '\n        .where("heard_until", "=", heard_until)\n        .where(isGone)',
    to: "",
    tests: chargeTests,
  },
  {
    name: "a correction names a verification of another account",
    file: adjust,
    from: '.where("account_id", "=", accountId)\n    .where("mode", "=", mode)',
    to: '.where("mode", "=", mode)',
    tests: adjustTests,
  },
  {
    name: "a correction names a verification of the other mode",
    file: adjust,
    from: '.where("account_id", "=", accountId)\n    .where("mode", "=", mode)',
    to: '.where("account_id", "=", accountId)',
    tests: adjustTests,
  },
  {
    name: "a correction gives back a kobo more than the charge",
    file: adjust,
    from: "total + kobo < 0)",
    to: "total + kobo < -1)",
    tests: adjustTests,
  },
  {
    name: "a correction of test changes the balance",
    file: adjust,
    from: 'if (mode === "live") await adjustBalance',
    to: "await adjustBalance",
    tests: adjustTests,
  },
  {
    name: "corrections of test and of verifications use up what may be given without one",
    file: "src/ledger/loose-money.ts",
    from: '.where("mode", "=", "live").where("reference", "is", null)',
    to: "",
    tests: adjustTests,
  },
  {
    name: "a request for money that is a day old is confirmed",
    file: "src/ledger/loose-money.ts",
    from: '.where("at", ">", at - requestLife)',
    to: "",
    tests: ["src/features/console/four-eyes.test.ts"],
  },
  {
    name: "the moves of an account's money hold corrections of test",
    file: moves,
    from: " and mode = 'live' order by",
    to: " order by",
    tests: termsTests,
  },
  {
    name: "the moves of an account's money hold corrections of other accounts",
    file: moves,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file.
    from: "where at >= ${now - lookBack} and account_id = ${accountId} and",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file.
    to: "where at >= ${now - lookBack} and",
    tests: termsTests,
  },
  {
    name: "a new cap counts what test verifications took",
    file: terms,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file.
    from: "where account_id = ${accountId} and mode = 'live' and created_at",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file.
    to: "where account_id = ${accountId} and created_at",
    tests: termsTests,
  },
  {
    name: "a new cap counts no verification that runs",
    file: terms,
    from: "and (state = 'started' or charged = 1)",
    to: "and charged = 1",
    tests: termsTests,
  },
  {
    name: "the last kobo of a balance cannot be taken back",
    file: terms,
    from: 'row(row("most_kobo", "+", kobo), ">=", row.ref("kobo"))',
    to: 'row(row("most_kobo", "+", kobo), ">", row.ref("kobo"))',
    tests: termsTests,
  },
  {
    name: "more than a balance is taken back",
    file: terms,
    from: "if (!added) throw",
    to: "if (!account) throw",
    tests: termsTests,
  },
  {
    name: "what an account was charged holds test",
    file: terms,
    from: '.where("mode", "=", "live")\n    .groupBy("account_id")',
    to: '.groupBy("account_id")',
    tests: termsTests,
  },
  {
    name: "an account has a cap and a balance",
    file: terms,
    from: "terms.prepaid && (terms.capKobo !== undefined || terms.capCount !== undefined)",
    to: "terms.prepaid && terms.capKobo !== undefined",
    tests: termsTests,
  },
  {
    name: "a test key keeps the end of a live key secret",
    file: expiring,
    from: "key.mode === one.mode &&",
    to: "",
    tests: expiringTest,
  },
  {
    name: "a key of another account keeps the end of a key secret",
    file: expiring,
    from: "key.account_id === one.account_id &&",
    to: "",
    tests: expiringTest,
  },
  {
    name: "the end of a pause ends the pause that somebody set in its place",
    file: "src/verification/routes/paused-vendors.ts",
    from: '.where("name", "=", nameOfPause(pause)).where("created_at", "=", since)',
    to: '.where("name", "=", nameOfPause(pause))',
    tests: ["src/verification/routes/paused-vendors.test.ts"],
  },
  {
    name: "an invoice names attempts of the next month as missing",
    file: "src/features/books/reconcile-invoice.ts",
    from: "started_at >= from && started_at < to;",
    to: "started_at >= from;",
    tests: ["src/features/books/reconcile-invoice.test.ts"],
  },
  {
    name: "a verification that is charged is charged again",
    file: charges,
    from: '.where("charged", "=", 0)\n        .where("charge_mark", "=", row.charge_mark)',
    to: '.where("charge_mark", "=", row.charge_mark)',
    tests: chargeTests,
  },
  {
    name: "a charge that was barred is made",
    file: charges,
    from: '.where("charged", "=", 0)\n        .where("charge_mark", "=", row.charge_mark)',
    to: '.where("charged", "=", 0)',
    tests: chargeTests,
  },
  {
    name: "a record is given for a charge that changed meanwhile",
    file: charges,
    from: '.where("charged", "=", 1)\n      .where("charge_mark", "=", charge_mark)',
    to: '.where("charged", "=", 1)',
    tests: chargeTests,
  },
  {
    name: "a charge whose record was given is taken back",
    file: charges,
    from: '.where("charged", "=", 1)\n        .where("charge_mark", "=", mark)',
    to: '.where("charged", "=", 1)',
    tests: chargeTests,
  },
  {
    name: "a charge is taken back although a retry would get its record",
    file: charges,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file.
    from: '.where("charge_mark", "like", `${keylessMark}%`)',
    to: "",
    tests: chargeTests,
  },
  {
    name: "a key that ended makes its charge one without a key",
    file: charges,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file.
    from: '.where("charge_mark", "like", `${keylessMark}%`)',
    to: '.where("idempotency_hash", "is", null)',
    tests: chargeTests,
  },
  {
    name: "a charge with a key is one without",
    file: "src/verification/runs.ts",
    from: "charge: newChargeMark(isKeyless)",
    to: "charge: newChargeMark(true)",
    tests: chargeTests,
  },
  {
    name: "a caller that hung up pays for a record that nobody can get",
    file: charges,
    from: "if (noted?.sealed_record === null) await",
    to: "if (noted?.sealed_record === undefined) await",
    tests: undeliveredTests,
  },
  {
    name: "a caller that hung up pays nothing for a record that a retry gets",
    file: charges,
    from: "if (noted?.sealed_record === null) await",
    to: "await",
    tests: undeliveredTests,
  },
  {
    name: "a charge goes back although a retry was given its record",
    file: charges,
    from: '\n      .where("charge_mark", "in", [unread, charge_mark])',
    to: "",
    tests: undeliveredTests,
  },
  {
    name: "a retry that finds no record leaves the charge of one that reached nobody",
    file: charges,
    from: "if (charged === 0 || !mark.startsWith(unreadMark)) return false;",
    to: "return false;",
    tests: undeliveredTests,
  },
  {
    name: "a charge goes back because its record is gone, although it was given",
    file: charges,
    from: "if (charged === 0 || !mark.startsWith(unreadMark)) return false;",
    to: "if (charged === 0) return false;",
    tests: undeliveredTests,
  },
  {
    name: "an answer counts as given although its caller has gone",
    file: "src/http/exchange.ts",
    from: "response.destroyed || !response.socket?.readableEnded",
    to: "!response.destroyed",
    tests: ["test/verification-settings.test.ts"],
  },
  {
    name: "an answer counts as lost because its caller ended its side",
    file: "src/http/exchange.ts",
    from: "response.destroyed || response.end(body.subarray(-1))",
    to: "response.destroy()",
    tests: ["test/verification-settings.test.ts"],
  },
  {
    name: "charges with keys move no note",
    file: charges,
    from: "this.#begun += 1;",
    to: "if (mark.startsWith(keylessMark)) this.#begun += 1;",
    tests: chargeTests,
  },
  {
    name: "charges of a process that lives are taken back",
    file: charges,
    from: '.where("owner", "=", id)\n',
    to: "\n",
    tests: chargeTests,
  },
  {
    name: "a charge that was heard of is taken back",
    file: charges,
    from: 'row("charged_at", ">", heard_until)',
    to: 'row("charged_at", ">", heard_until - 60_000)',
    tests: chargeTests,
  },
  {
    name: "what a correction gave back stays in the balance when the charge is taken back",
    file: charges,
    from: "if (waived.spends === balancePeriod) await lowerBalance(",
    to: 'if (waived.spends === "none") await lowerBalance(',
    tests: spendingTests,
  },
  {
    name: "the last kobo of a balance pays for nothing",
    file: spending,
    from: '"<=", row.ref("spending.most_kobo")',
    to: '"<", row.ref("spending.most_kobo")',
    tests: spendingTests,
  },
  {
    name: "a debit takes less than the whole balance only",
    file: spending,
    from: 'row(row("most_kobo", "-", kobo), ">=", row.ref("kobo"))',
    to: 'row(row("most_kobo", "-", kobo), ">", row.ref("kobo"))',
    tests: spendingTests,
  },
  {
    name: "calls that share a statement take one fee from a balance",
    file: spending,
    from: "kobo: sql<number>`sum(",
    to: "kobo: sql<number>`min(",
    tests: ["src/ledger/batches.test.ts"],
  },
  {
    name: "calls that share a statement count as one verification of a budget",
    file: spending,
    from: "verifications: sql<number>`count(*)`",
    to: "verifications: sql<number>`min(1)`",
    tests: ["src/ledger/batches.test.ts"],
  },
];
