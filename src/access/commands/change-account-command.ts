import { accessTrail } from "../../declare/access-trail.ts";
import { checkKinds, feeName, labelOf } from "../../declare/check-kind.ts";
import { amount, orWord } from "../../declare/command/forms.ts";
import { formed, InputError } from "../../declare/command/read-texts.ts";
import { command } from "../../declare/command.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import { count, limit } from "../../declare/setting.ts";
import { inTransaction } from "../../storage/audited.ts";
import * as accounts from "../accounts/accounts.ts";
import type { CallsRoom } from "../accounts/effect-on-calls.ts";
import { changeTerms } from "../accounts/terms.ts";
import {
  accountMember as account,
  answers,
  emailMember,
  fees,
  feeText,
  name,
  noticed,
  statementFacts,
  termsOf,
} from "./account-commands.ts";
import { allTermsOf, type Room, TermsFacts } from "./terms-commands.ts";

const own = (setting: string) => `"default" means the limit in ${setting}.`;

export const changeAccountCommand = command({
  id: "accounts.change",
  title: "Change…",
  summary: `Change the name, the e-mail, the address, the tax number, the fees, the caps, the limits or the prepayment of an account. Other values do not change. ${noticed}`,
  description:
    "A verification keeps the fee that it started with. After a new e-mail, clients that sign in with the old one " +
    "must change: API keys and access tokens stay valid. A cap counts the live verifications of a month, " +
    "in DUBA_TIME_ZONE. A verification takes its fee when it begins, and gives it back if it is not charged. " +
    "A new cap counts what the account was charged in this month before. " +
    "An account has a cap or a balance, not both. Its own limits also hold if DUBA_LIMITS is off.",
  role: "operator",
  kind: "change",
  gives: "money",
  weighs: "This changes what the client may spend.",
  givesNothing: ({ account, name, email, address, tax_number, ...others }) => Object.keys(others).length === 0,
  target: ["account"],
  input: Type.Object({
    account,
    name: Type.Optional({ ...name, folded: true }),
    email: Type.Optional({ ...emailMember, folded: true }),
    ...statementFacts,
    ...fees,
    answers,
    cap_naira: Type.Optional(
      formed(orWord("none", amount), {
        description: 'Maximum that the account may spend in a month, in naira. "none" takes the cap away.',
        placeholder: "naira",
      }),
    ),
    cap_count: Type.Optional(
      formed(orWord("none", count), {
        description: 'Maximum verifications that the account may be charged for in a month. "none" takes the cap away.',
        placeholder: "count",
      }),
    ),
    prepaid: Type.Optional(
      Type.Enum(["on", "off"], {
        description: "On: the account pays from a balance, to which `duba accounts top-up` adds.",
      }),
    ),
    limit_verification: Type.Optional(
      formed(orWord("default", limit), {
        description: `Maximum verifications of this account. ${own("DUBA_LIMIT_VERIFICATION")}`,
        placeholder: "limit",
        folded: true,
      }),
    ),
    limit_in_flight: Type.Optional(
      formed(orWord("default", count), {
        description: `Maximum verifications of this account at the same time, in each process. ${own("DUBA_LIMIT_IN_FLIGHT")}`,
        placeholder: "count",
        folded: true,
      }),
    ),
    limit_negatives: Type.Optional(
      formed(orWord("default", limit), {
        description: `Maximum verifications of this account without a match. ${own("DUBA_LIMIT_NEGATIVES")}`,
        placeholder: "limit",
        folded: true,
      }),
    ),
  }),
  answer: TermsFacts,
  view: (facts) => [`Account ${facts.id} (${facts.name}, ${facts.email}) ${saidOf(facts)}`, "", { record: facts }],
  onPage: (facts) => [`The account ${facts.name} ${saidOf(facts)}`],
  records: [accessTrail.accountChanged, accessTrail.accountTermsChanged],
  examples: [
    { account: "shop@example.com", bvn_fee: "80" },
    { account: "shop@example.com", bvn_fee: "default", answers: "masked" },
    { account: "shop@example.com", email: "billing@example.com" },
    { account: "shop@example.com", address: "14 Broad Street; Lagos Island", tax_number: "20481234-0001" },
    { account: "shop@example.com", cap_naira: "50000", cap_count: "500" },
    { account: "shop@example.com", cap_naira: "none", cap_count: "none", prepaid: "on" },
    { account: "shop@example.com", limit_verification: "300/min", limit_in_flight: "50" },
  ],
  mayBeDanger: true,
  effect: async ({ account }, room: Room & CallsRoom, run) => {
    const { effectOnCalls } = await import("../accounts/effect-on-calls.ts");
    const { says, isDanger } = await effectOnCalls(room, account, run);
    return { says, isDanger };
  },
  run: async ({ account: named, ...texts }, room: Room & CallsRoom) => {
    const { cap_naira, cap_count, prepaid, limit_verification, limit_in_flight, limit_negatives, ...others } = texts;
    const terms = {
      ...(cap_naira !== undefined && { capKobo: cap_naira }),
      ...(cap_count !== undefined && { capCount: cap_count }),
      ...(prepaid !== undefined && { prepaid: prepaid === "on" ? (true as const) : null }),
      ...(limit_verification !== undefined && { verification: limit_verification }),
      ...(limit_in_flight !== undefined && { inFlight: limit_in_flight }),
      ...(limit_negatives !== undefined && { negatives: limit_negatives }),
    };
    const changesTerms = Object.keys(terms).length > 0;
    const changesOthers = Object.keys(others).length > 0;
    if (!changesTerms && !changesOthers)
      throw new InputError(
        "The command has nothing to change. Add a name, an e-mail, an address, a tax number, a fee, " +
          "the form of the answers, a cap or a limit.",
      );
    if (prepaid === "on" && (cap_naira != null || cap_count != null))
      throw new InputError("An account has a cap or a balance, not both.");
    return inTransaction(room.db, async (trx) => {
      const inside = { ...room, db: trx };
      const { id } = await accounts.findAccount(trx, named);
      if (changesOthers) await accounts.changeAccount(inside, id, termsOf(others));
      if (changesTerms) await changeTerms(inside, id, terms, room.config.timeZone, room.now());
      return allTermsOf(inside, await accounts.findAccount(trx, id));
    });
  },
});

/** Says what an account pays and receives. The text follows the account's name. */
function saidOf(facts: Static<typeof TermsFacts>): string {
  const fees = checkKinds.map((kind) => `${feeText(facts[feeName(kind)])} for a ${labelOf(kind)}`);
  return `pays ${fees.join(" and ")}, and receives ${facts.answers} records.`;
}
