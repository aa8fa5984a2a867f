/**
 * Two kinds of check that the product does not have, as one would write them: the files, and the lines in files that
 * exist.
 */
export const newFiles: Readonly<Record<string, string>> = {
  "src/checks/account.ts": `import type { Static } from "typebox";
import { claimOf } from "../declare/check-kind.ts";
import { digitsOf, field } from "../declare/fields.ts";
import Type from "../declare/schema/type.ts";
import type { Check } from "./check.ts";

const AccountRecord = Type.Object(
  { account_number: Type.String(), bank_code: Type.String(), account_name: Type.String() },
  { title: "AccountRecord" },
);
type AccountRecord = Static<typeof AccountRecord>;

const number = { pattern: "^ *(?:[0-9] *){10}$", description: "Account number.", problem: "must be 10 digits" };
const bank = { pattern: "^[0-9]{3}$", description: "Code of the bank.", problem: "must be 3 digits" };
const name = { pattern: "^[^0-9]{2,100}$", description: "Name of the customer.", problem: "must be a name" };
const wordsOf = (text: string): string[] => text.toUpperCase().match(/\\p{L}+/gu) ?? [];

/** A bank account and the name of its owner. */
export const account: Check<AccountRecord> = {
  kind: "account",
  request: {
    account: { label: "account number", schema: field(number), valueIn: digitsOf },
    bank_code: { label: "bank code", schema: field(bank), valueIn: (text) => text },
    name: { label: claimOf("account"), schema: field(name), valueIn: (text) => wordsOf(text).join(" ") },
  },
  subject: ["bank_code", "account"],
  example: { account: "0123456789", bank_code: "058", name: "Ada Obi" },
  record: AccountRecord,
  confirm(record, { number, claims }) {
    if (record.account_number !== number || record.bank_code !== claims.bank_code) return { rejected: "other_number" };
    const words = wordsOf(record.account_name);
    return wordsOf(claims.name!).every((word) => words.includes(word)) ? { record } : { negative: "name_mismatch" };
  },
  mask: (record) => ({ ...record, account_number: \`******\${record.account_number.slice(-4)}\` }),
  sandbox: ({ number, claims }) => ({
    account_number: number,
    bank_code: claims.bank_code!,
    account_name: \`\${claims.name} SANDBOX\`,
  }),
};
`,
  "src/checks/passport.ts": `import type { Static } from "typebox";
import { claimOf } from "../declare/check-kind.ts";
import { field } from "../declare/fields.ts";
import Type from "../declare/schema/type.ts";
import type { Check } from "./check.ts";

const PassportRecord = Type.Object(
  { passport: Type.String(), first_name: Type.String(), last_name: Type.String(), date_of_birth: Type.String() },
  { title: "PassportRecord" },
);
type PassportRecord = Static<typeof PassportRecord>;

const number = { pattern: "^[A-Za-z][0-9]{8}$", description: "Passport number.", problem: "must be a letter and 8 digits" };
const surname = { pattern: "^[^0-9]{2,50}$", description: "Surname.", problem: "must be a name" };
const upper = (text: string) => text.trim().toUpperCase();

/** A passport and the surname of its holder. */
export const passport: Check<PassportRecord> = {
  kind: "passport",
  request: {
    passport: { label: "passport number", schema: field(number), valueIn: upper },
    last_name: { label: claimOf("passport"), schema: field(surname), valueIn: upper },
  },
  subject: ["passport"],
  example: { passport: "A01234567", last_name: "Obi" },
  record: PassportRecord,
  confirm(record, { number, claims }) {
    if (record.passport !== number) return { rejected: "other_number" };
    return upper(record.last_name) === claims.last_name ? { record } : { negative: "name_mismatch" };
  },
  mask: (record) => ({ ...record, passport: \`*****\${record.passport.slice(-4)}\`, date_of_birth: "" }),
  sandbox: ({ number, claims }) => ({
    passport: number,
    first_name: "ADA",
    last_name: claims.last_name!,
    date_of_birth: "1990-01-31",
  }),
};
`,
  ...operationFile("account", "verifyAccount", "bank account"),
  ...operationFile("passport", "verifyPassport", "passport"),
  // A vendor, because only live verifications are in the books and limited by subject.
  "src/vendors/invented/index.ts": `import { vendor } from "../ports/vendor.ts";
import { sandbox } from "../sandbox/index.ts";

export const invented = vendor({
  name: "invented",
  about: "Invented people.",
  settings: {},
  open: async () => ({ ...sandbox(), name: "invented" }),
});
`,
};

/** By file: a text, and what stands in its place. */
export const newLines: Readonly<Record<string, readonly [before: string, after: string][]>> = {
  "src/declare/check-kind.ts": [
    [
      'nin: personRow("NIN", "nin") }',
      `nin: personRow("NIN", "nin"),
  account: {
    label: "bank account",
    claim: "name",
    member: "account_number",
    negatives: {
      not_found: { status: 404, cause: "No bank account has this number at this bank.", cure: "Ask the customer." },
      name_mismatch: { status: 422, cause: "The bank account has another name.", cure: "Ask the customer." },
      blocked: { status: 422, cause: "The bank account is closed.", cure: "Ask the customer." },
    },
  },
  passport: {
    label: "passport",
    claim: "name",
    member: "passport",
    negatives: {
      not_found: { status: 404, cause: "No passport has this number.", cure: "Ask the customer." },
      name_mismatch: { status: 422, cause: "The passport has another surname.", cure: "Ask the customer." },
    },
  },
}`,
    ],
  ],
  "src/checks/index.ts": [
    ['import { bvn } from "./bvn.ts";', 'import { account } from "./account.ts";\nimport { bvn } from "./bvn.ts";'],
    ['import { nin } from "./nin.ts";', 'import { nin } from "./nin.ts";\nimport { passport } from "./passport.ts";'],
    ["{ bvn, nin }", "{ bvn, nin, account, passport }"],
  ],
  "src/verification/operations/index.ts": [
    [
      'import { verifyBvn } from "./verifyBvn.ts";',
      'import { verifyAccount } from "./verifyAccount.ts";\nimport { verifyBvn } from "./verifyBvn.ts";\n' +
        'import { verifyPassport } from "./verifyPassport.ts";',
    ],
    ["  verifyNin,\n", "  verifyNin,\n  verifyAccount,\n  verifyPassport,\n"],
  ],
  "src/vendors/registry.ts": [
    ["import { dojah }", 'import { invented } from "./invented/index.ts";\nimport { dojah }'],
    ["[blusalt,", "[invented, blusalt,"],
  ],
};

function operationFile(kind: string, id: string, label: string): Record<string, string> {
  return {
    [`src/verification/operations/${id}.ts`]: `import { amountField } from "../../declare/fields.ts";
import { verificationOperation } from "./verify-person.ts";

export const ${id} = verificationOperation("${kind}", {
  id: "${id}",
  description: "Verifies a ${label}.",
  documented: true,
  amount: { ...amountField, description: "Amount in naira: the fee of a verified ${label}." },
});
`,
  };
}
