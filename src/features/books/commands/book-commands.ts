import type { CallsRoom } from "../../../access/accounts/effect-on-calls.ts";
import { naira, orNull, reference as referenceFact, time } from "../../../declare/command/answer-schema.ts";
import { amount as nairaForm, remark } from "../../../declare/command/forms.ts";
import { flag, formed, InputError } from "../../../declare/command/read-texts.ts";
import { richText } from "../../../declare/command/rich-text.ts";
import { command } from "../../../declare/command.ts";
import { nairaOf, nairaText, waitsText } from "../../../declare/money.ts";
import Type from "../../../declare/schema/type.ts";
import type { BooksRoom } from "../../../ledger/commands/period.ts";
import { ledgerTrail } from "../../../ledger/ledger-trail.ts";
import type { WithManualCredit } from "../../../ledger/manual-credit.ts";
import { balanceOf } from "../../../ledger/spending/spending.ts";
import { inTransaction, type WithClock } from "../../../storage/audited.ts";
import { moneyTrail } from "../../../storage/money-trail.ts";
import type { VendorPrices } from "../../../vendors/vendor-prices.ts";
import { adjust, correctedBy } from "../adjust.ts";
import { booksTrail } from "../books-trail.ts";
import { statementCommand } from "./statement-command.ts";

interface Rebuilding {
  config: { vendorPrices: Readonly<Record<string, VendorPrices>> };
  progress: (done: number, all: number) => void;
}

type AdjustingRoom = BooksRoom & WithManualCredit & CallsRoom;

const reason = {
  ...remark,
  form: "a sentence of at most 200 characters that begins with a letter or a digit",
  read: (text: string) => (/^[\p{L}\p{N}]\P{Cc}{0,199}$/u.test(text) ? remark.read(text) : undefined),
};

/** Returns the kobo that a correction adds to the fees. */
function correctionOf({ credit, debit }: { credit?: number | undefined; debit?: number | undefined }): number {
  const [amount, ...more] = [credit, debit].filter((kobo) => kobo !== undefined);
  if (!amount || more.length > 0) throw new InputError("Give either a credit or a debit, above 0.");
  return credit === undefined ? amount : -amount;
}

const adjustBooks = command({
  id: "books.adjust",
  title: "Give back…",
  summary:
    "Correct what an account was charged: a new line in this month's statement, which the client sees with its reason.",
  description:
    "Past statements do not change. Name no person in the reason. What goes back for a verification is never more " +
    "than its charge. Without a reference it is at most what the account was charged last month; " +
    "with DUBA_FOUR_EYES on, a second person gives what is more.",
  role: "officer",
  kind: "change",
  gives: "money",
  fills: ({ request_reference: reference, account, mode, charge_left: left }) =>
    typeof left === "number" && left > 0
      ? {
          input: { account: String(account), mode: String(mode), reference: String(reference), credit: nairaOf(left) },
          title: `Give back ${nairaText(left)}…`,
        }
      : undefined,
  input: Type.Object({
    account: Type.String({ description: "The account.", placeholder: "id or e-mail" }),
    mode: Type.Enum(["test", "live"], { description: "Test or live.", default: "live", folded: true }),
    credit: Type.Optional(
      formed(nairaForm, { description: "Amount that the account gets back.", placeholder: "naira" }),
    ),
    debit: Type.Optional(
      formed(nairaForm, { description: "Amount that the account pays.", placeholder: "naira", folded: true }),
    ),
    reference: Type.Optional(
      Type.String({
        description: "The reference of the verification that it is about.",
        placeholder: "reference",
      }),
    ),
    reason: formed(reason, { description: "Why, for the client.", placeholder: "sentence" }),
    sure: flag(
      "Correct a verification that was corrected before, or, without a reference, " +
        "more than the account was charged last month.",
      { folded: true },
    ),
  }),
  answer: Type.Object({
    id: orNull(Type.String()),
    account: Type.String(),
    mode: Type.Enum(["test", "live"]),
    reference: orNull(referenceFact),
    fees: naira,
    at: orNull(time),
  }),
  view: ({ fees, account, id }) => [
    id === null
      ? waitsText(fees)
      : { text: richText`Adjustment ${id} of ${nairaText(fees)} is on the books of ${{ account }}.` },
  ],
  onPage: ({ fees, account, id }) => [
    id === null
      ? waitsText(fees)
      : {
          text:
            fees < 0
              ? richText`${nairaText(-fees)} given back to ${{ account }}.`
              : richText`${nairaText(fees)} charged to ${{ account }}.`,
        },
  ],
  records: [booksTrail.adjusted, moneyTrail.requested],
  examples: [
    { account: "shop@example.com", credit: "2500.50", reason: "Goodwill for the outage of 3 November" },
    { account: "shop@example.com", credit: "100", reference: "3wKwKW719640695", reason: "Charged twice" },
  ],
  mayBeDanger: true,
  effect: async ({ account, mode, reference, reason, sure = false, ...given }, room: AdjustingRoom) => {
    const kobo = correctionOf(given);
    const { id: accountId, name, terms } = await room.accounts.find(account);
    const correction = { accountId, mode, kobo, reason, reference, sure };
    const corrected = await correctedBy(room.db, correction);
    const move = (what: string, before: number, after: number) => ({
      what,
      before: nairaText(before),
      after: nairaText(after),
    });
    const balance = mode === "live" && terms.prepaid ? await balanceOf(room.db, accountId) : undefined;
    const amount = nairaText(Math.abs(kobo));
    const { effectOnCalls } = await import("../../../access/accounts/effect-on-calls.ts");
    const { answer, says, isDanger } = await effectOnCalls(room, accountId, ({ db }) =>
      addUnlessItWaits({ ...room, db }, correction),
    );
    if (answer === undefined) return { says: [waitsText(kobo)] };
    return {
      isDanger,
      asks: kobo < 0 ? `Give back ${amount} to ${name}?` : `Charge ${name} ${amount}?`,
      says: [`It is a line of this month's statement, which the client sees with its reason.`, ...says],
      moves: [
        ...(corrected ? [move("Left of the charge", corrected.left, corrected.left + kobo)] : []),
        ...(balance === undefined ? [] : [move("Balance", balance, balance - kobo)]),
      ],
    };
  },
  run: async ({ account, mode, reference, reason, sure = false, ...given }, room: AdjustingRoom) => {
    const kobo = correctionOf(given);
    const { id: accountId, email } = await room.accounts.find(account);
    const added = await addUnlessItWaits(room, { accountId, mode, kobo, reason, reference, sure });
    const { id, at } = added ?? { id: null, at: null };
    return { id, account: email, mode, reference: reference ?? null, fees: kobo, at };
  },
});

/** Returns undefined if the correction waits for a second person. */
async function addUnlessItWaits(room: AdjustingRoom, correction: Parameters<typeof adjust>[1]) {
  const { accountId, mode, kobo, reference, sure = false } = correction;
  const isManual = mode === "live" && reference === undefined;
  return inTransaction(room.db, async (trx) =>
    isManual && !(await room.mayGive(trx, { what: "correction", accountId, kobo }, sure))
      ? undefined
      : adjust({ ...room, db: trx }, correction),
  );
}

const rebuildSumsCommand = command({
  id: "books.rebuild-sums",
  title: "Add up anew…",
  summary: "Make the sums of hours and days anew where they are not what the ledger adds up to.",
  description:
    "`duba routes show` reads these sums. Verifications go on meanwhile, and the command can be stopped and run " +
    "again. Use it if `duba audit reconcile` finds a difference in them.",
  role: "operator",
  kind: "change",
  store: "untimed",
  counts: "days",
  answer: Type.Object({
    days: Type.Integer(),
    rebuilt: Type.Integer(),
    refused: Type.Array(Type.String(), {
      description: "Sums that were left: the ledger has fewer attempts than the journal told.",
    }),
  }),
  isWell: ({ refused }) => refused.length === 0,
  view: ({ days, rebuilt, refused }) => [
    ...refused.map((sum) => `Not made anew: ${sum}. The ledger has lost attempts that were told.`),
    rebuilt === 0 && refused.length > 0
      ? `No other sum is wrong: ${days} days.`
      : rebuilt === 0
        ? `All sums are what the ledger adds up to: ${days} days.`
        : `${rebuilt} ${rebuilt === 1 ? "sum was" : "sums were"} wrong and ${rebuilt === 1 ? "is" : "are"} right now: ${days} days.`,
  ],
  records: [ledgerTrail.booksRebuilt],
  guide: {
    heading: "What it cannot know:",
    items: [["Time", "Sums of hours are kept for 72 hours, those of days for 24 months. Older ones stay as they are."]],
  },
  run: async (_, room: BooksRoom & WithClock & Rebuilding) => {
    const { rebuildSums } = await import("../../../ledger/journal/rebuild-sums.ts");
    return rebuildSums(room, room.config.timeZone, await room.accounts.emails(await room.accounts.ids()));
  },
});

export const bookCommands = [statementCommand, adjustBooks, rebuildSumsCommand];
