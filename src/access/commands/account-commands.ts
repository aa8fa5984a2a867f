import { accessTrail } from "../../declare/access-trail.ts";
import { checkKinds, feeName, forEachKind, labelOf } from "../../declare/check-kind.ts";
import { account, naira, orNull, time } from "../../declare/command/answer-schema.ts";
import { amount, email, orWord, postalAddress, taxNumber } from "../../declare/command/forms.ts";
import { mend } from "../../declare/command/mend.ts";
import { formed, noteText } from "../../declare/command/read-texts.ts";
import { richText } from "../../declare/command/rich-text.ts";
import { command } from "../../declare/command.ts";
import { nairaText } from "../../declare/money.ts";
import Type from "../../declare/schema/type.ts";
import { type Audited, triedFirst, type WithClock } from "../../storage/audited.ts";
import * as accounts from "../accounts/accounts.ts";
import type { CallsRoom } from "../accounts/effect-on-calls.ts";

export const fees = forEachKind(feeName, (kind) =>
  Type.Optional(
    formed(orWord("default", amount), {
      description: `Fee of a verified ${labelOf(kind)} in naira. "default" means the fee in DUBA_${kind.toUpperCase()}_FEE.`,
      placeholder: "naira",
    }),
  ),
);

export const name = Type.String({
  description: "Name of the business. Responses with an access token show it.",
  placeholder: "business name",
  minLength: 1,
});

export const emailMember = formed(email, {
  description: "E-mail of the business. It signs in with it, and you can name the account by it.",
  placeholder: "e-mail",
});

const ofStatements = { folded: true, keyed: true } as const;

/** The facts about the client on a statement, besides its name and e-mail. */
export const statementFacts = {
  address: Type.Optional(
    formed(orWord("none", postalAddress), {
      description:
        "Postal address of the business, for its statements. A semicolon begins a new line. " + '"none" takes it away.',
      placeholder: "address",
      ...ofStatements,
    }),
  ),
  tax_number: Type.Optional(
    formed(orWord("none", taxNumber), {
      description: 'Tax number of the business, for its statements. "none" takes it away.',
      placeholder: "number",
      ...ofStatements,
    }),
  ),
};

export const answers = Type.Optional(
  Type.Enum(["full", "masked"], {
    description:
      "Whole identity records, or masked ones: verified, watchlisted, the name and the number's last four digits.",
    placeholder: "form",
    folded: true,
  }),
);

export const accountMember = Type.String({
  description: "Id or e-mail of the account. `duba accounts list` shows both.",
  placeholder: "id or e-mail",
});

export const AccountFacts = Type.Object({
  id: Type.String(),
  name: Type.String({ label: "Client" }),
  email: { ...account, label: "E-mail" },
  ...forEachKind(feeName, () => orNull({ ...naira, none: "default" })),
  answers: Type.Enum(["full", "masked"]),
  address: orNull(Type.String({ none: "" })),
  tax_number: orNull(Type.String({ none: "" })),
  created_at: { ...time, label: "Client since" },
  suspended_at: orNull(time),
});

export const noticed = "Running instances apply it within 5 seconds.";

const createAccount = command({
  id: "accounts.create",
  title: "New account",
  summary: "Create an account.",
  role: "operator",
  kind: "change",
  input: Type.Object({
    name,
    email: emailMember,
    ...fees,
    answers,
    ...statementFacts,
  }),
  answer: AccountFacts,
  view: ({ id, name, email }) => [
    `Account ${id} is created for ${name}.`,
    { note: "", mends: [mend("Give it a key", "keys.create", { account: email })] },
  ],
  onPage: ({ name, email }) => [
    `The account ${name} is created.`,
    { note: "", mends: [mend("Give it a key", "keys.create", { account: email })] },
  ],
  records: [accessTrail.accountCreated],
  examples: [{ name: "Corner Shop", email: "shop@example.com" }],
  run: async ({ name, email, ...terms }, store: Audited & WithClock) =>
    accountFactsOf(await accounts.createAccount(store, { ...termsOf(terms), name, email }, store.now())),
});

const suspendAccount = command({
  id: "accounts.suspend",
  title: "Suspend…",
  fits: ({ suspended_at }) => suspended_at === null,
  summary: `Disable all keys and tokens of an account until you resume it, and let its events wait. ${noticed}`,
  role: "operator",
  kind: "change",
  target: ["account"],
  input: Type.Object({ account: accountMember }),
  answer: AccountFacts,
  view: ({ id, name, suspended_at }, { at }) => [
    `Account ${id} (${name}) is suspended since ${at(suspended_at)}. ${noticed}`,
  ],
  onPage: ({ name, suspended_at }, { at }) => [
    `The account ${name} is suspended since ${at(suspended_at)}. ${noticed}`,
  ],
  records: [accessTrail.accountSuspended],
  examples: [{ account: "shop@example.com" }],
  mayBeDanger: true,
  effect: async ({ account }, room: Audited & CallsRoom) => {
    const { useOf } = await import("../accounts/effect-on-calls.ts");
    const { email, hasLiveKey, says } = await useOf(room, account);
    const refused = richText`All calls of ${{ account: email }} are refused at once, until you resume it.`;
    return { isDanger: hasLiveKey, says: hasLiveKey ? [refused, says] : [] };
  },
  run: async ({ account }, store: Audited & CallsRoom) =>
    accountFactsOf(await accounts.suspendAccount(store, account, store.now())),
});

const resumeAccount = command({
  id: "accounts.resume",
  title: "Resume…",
  gives: "protection",
  fits: ({ suspended_at }) => suspended_at !== null,
  summary: `Enable the keys of a suspended account again, and deliver the events that waited. ${noticed}`,
  role: "operator",
  kind: "change",
  target: ["account"],
  input: Type.Object({ account: accountMember }),
  answer: AccountFacts,
  view: ({ id, name }) => [`Account ${id} (${name}) is active. ${noticed}`],
  onPage: ({ name }) => [`The account ${name} is active. ${noticed}`],
  records: [accessTrail.accountResumed],
  examples: [{ account: "shop@example.com" }],
  effect: (_, room: Audited & WithClock, run) => triedFirst(room, run),
  run: async ({ account }, store: Audited & WithClock) =>
    accountFactsOf(await accounts.resumeAccount(store, account, store.now())),
});

const noteAccount = command({
  id: "accounts.note",
  title: "Add a note",
  summary:
    "Write a note on an account, such as what was agreed with the client. " +
    "It stands in the audit trail, with your name.",
  role: "operator",
  kind: "change",
  target: ["account"],
  input: Type.Object({ account: accountMember, note: noteText }),
  answer: Type.Object({ account, note: Type.String() }),
  view: ({ account }) => [{ text: richText`The note on ${{ account }} is kept.` }],
  onPage: () => ["The note is kept."],
  records: [accessTrail.accountNoted],
  examples: [{ account: "shop@example.com", note: "Pays by transfer on the first of the month" }],
  run: async ({ account, note }, { db, audit, actor }: Audited) => {
    const { id, email } = await accounts.findAccount(db, account);
    await audit(db, accessTrail.accountNoted(actor, { reference: id, note }));
    return { account: email, note };
  },
});

export const accountCommands = [noteAccount, createAccount, suspendAccount, resumeAccount];

export function feeText(fee: number | null): string {
  return fee === null ? "the default fee" : nairaText(fee);
}

export function termsOf({
  name,
  email,
  answers,
  address,
  tax_number,
  ...texts
}: { [Fee in ReturnType<typeof feeName>]?: number | null } & accounts.AccountChange): accounts.AccountChange {
  const fees = Object.fromEntries(
    checkKinds.flatMap((kind) => (texts[feeName(kind)] === undefined ? [] : [[kind, texts[feeName(kind)]]])),
  );
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(answers !== undefined && { answers }),
    ...(address !== undefined && { address }),
    ...(tax_number !== undefined && { tax_number }),
    ...(Object.keys(fees).length > 0 && { fees }),
  };
}

export function accountFactsOf({ fees, ...account }: accounts.Account) {
  return { ...account, ...forEachKind(feeName, (kind) => fees[kind] ?? null) };
}
