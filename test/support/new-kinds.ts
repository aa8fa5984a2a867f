/** Three invented kinds of check, as a developer would add them: new files, and lines in existing files. */
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
  least: AccountRecord,
  read: (given) => given as AccountRecord,
  reserved: (nth) => String(nth).padStart(10, "0"),
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
  least: PassportRecord,
  read: (given) => given as PassportRecord,
  reserved: (nth) => \`A\${String(nth).padStart(8, "0")}\`,
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
  "src/checks/licence.ts": `import type { Static } from "typebox";
import { claimOf } from "../declare/check-kind.ts";
import { field } from "../declare/fields.ts";
import Type from "../declare/schema/type.ts";
import type { Check } from "./check.ts";

const LicenceRecord = Type.Object(
  { licence_number: Type.String(), first_name: Type.String(), last_name: Type.String(), expires_on: Type.String() },
  { title: "LicenceRecord" },
);
type LicenceRecord = Static<typeof LicenceRecord>;

const number = {
  pattern: "^[A-Za-z]{3}[0-9]{5}[A-Za-z]{2}[0-9]{2}$",
  description: "Number of the licence.",
  problem: "must be a licence number such as ABC12345XY67",
};
const surname = { pattern: "^[^0-9]{2,50}$", description: "Surname.", problem: "must be a name" };
const upper = (text: unknown) => String(text ?? "").trim().toUpperCase();

/** A driver's licence and the surname of its holder. */
export const licence: Check<LicenceRecord> = {
  kind: "licence",
  request: {
    licence: { label: "licence number", schema: field(number), valueIn: upper },
    last_name: { label: claimOf("licence"), schema: field(surname), valueIn: upper },
  },
  subject: ["licence"],
  example: { licence: "ABC12345XY67", last_name: "Obi" },
  record: LicenceRecord,
  least: Type.Object({ licence_number: Type.String(), last_name: Type.String() }),
  read: (given) => ({
    licence_number: upper(given.licence_number),
    first_name: upper(given.first_name),
    last_name: upper(given.last_name),
    expires_on: String(given.expires_on ?? ""),
  }),
  confirm(record, { number, claims }) {
    if (record.licence_number !== number) return { rejected: "other_number" };
    return record.last_name === claims.last_name ? { record } : { negative: "name_mismatch" };
  },
  mask: (record) => ({ ...record, licence_number: \`********\${record.licence_number.slice(-4)}\` }),
  reserved: (nth) => \`AAA00000AA\${String(nth).padStart(2, "0")}\`,
  sandbox: ({ number, claims }) => ({
    licence_number: number,
    first_name: "ADA",
    last_name: claims.last_name!,
    expires_on: "2030-01-31",
  }),
};
`,
  ...operationFile("licence", "verifyLicence", "driver's licence"),
  ...operationFile("account", "verifyAccount", "bank account"),
  ...operationFile("passport", "verifyPassport", "passport"),
  // A vendor that needs an access token for each request.
  "src/vendors/roads/index.ts": `import { setting } from "../../declare/setting.ts";
import { headerSecret, vendor, vendorUrl } from "../ports/vendor.ts";

export const roads = vendor({
  name: "roads",
  about: "Driver's licences; invented, so not run against the live vendor.",
  settings: {
    url: setting({ name: "DUBA_ROADS_URL", default: "https://roads.example.com", about: "Address.", ...vendorUrl }),
    key: setting({ name: "DUBA_ROADS_KEY", about: "Key, exchanged for access tokens.", ...headerSecret }),
  },
  async open({ url, key }, parts) {
    const { accessTokens } = await import("../responses/access-tokens.ts");
    const { verifier } = await import("../responses/verifier.ts");
    const wire = await import("./wire.ts");
    const tokenFor = accessTokens({
      http: parts.http,
      request: { url: \`\${url}/token\`, body: { key } },
      read: wire.tokenIn,
    });
    return {
      name: "roads",
      kinds: ["licence"],
      verify: verifier(
        { vendor: "roads", ...wire },
        parts,
        ({ number, claims }, token) => ({
          method: "POST",
          url: \`\${url}/licences\`,
          headers: { authorization: \`Bearer \${token}\` },
          body: { number, surname: claims.last_name },
        }),
        tokenFor,
      ),
    };
  },
});
`,
  "src/vendors/roads/wire.ts": `import type { Members } from "../../checks/check.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import { membersIn } from "../responses/vendor-record.ts";
import { failureOutcome } from "../responses/vendor-words.ts";
import type { HttpResult } from "../vendor-client.ts";

export const good = Type.Object({ holder: Type.Record(Type.String(), Type.Unknown()) });

export const recordIn = ({ holder }: Static<typeof good>): Members => ({
  licence_number: holder.number,
  first_name: holder.given,
  last_name: holder.surname,
  expires_on: holder.expires,
});

export function failureIn(status: number, body: unknown): IdentityOutcome | undefined {
  if (status < 300) return undefined;
  const isUnknown = membersIn(body).code === "no_licence";
  return failureOutcome(status, body, isUnknown ? { state: "negative", reason: "not_found" } : undefined);
}

export function tokenIn(result: HttpResult) {
  const { token } = membersIn(result.kind === "answered" ? result.body : undefined);
  return typeof token === "string" ? { token, expiresAt: Date.now() + 3_600_000 } : undefined;
}
`,
  "src/vendors/roads/roads.test.ts": `import assert from "node:assert/strict";
import { testVendor } from "../vendor-conformance.fixture.ts";
import { roads } from "./index.ts";

testVendor({
  vendor: roads,
  values: (url) => ({ url, key: "key-of-ours" }),
  prelude: ({ path }) => (path === "/token" ? { token: "token-invented" } : undefined),
  checks: {
    licence: {
      assertRequest({ method, path, headers, body }, { number }) {
        assert.equal(\`\${method} \${path}\`, "POST /licences");
        assert.equal(headers.authorization, "Bearer token-invented");
        assert.deepEqual(JSON.parse(body), { number, surname: "OBI" });
      },
      good: {
        body: { holder: { number: "ABC12345XY67", given: "Ada", surname: "Obi", expires: "2030-01-31", photo: "" } },
        record: {
          licence_number: "ABC12345XY67",
          first_name: "ADA",
          last_name: "OBI",
          expires_on: "2030-01-31",
        },
      },
      notFound: { status: 404, body: { code: "no_licence" } },
    },
  },
  answers: {},
  secrets: ["key-of-ours", "token-invented"],
});
`,
  "docs/vendors/roads.md": "# Roads\n",
  "stand-ins/roads/stand-in.ts": `import { always, type StandIn } from "../stand-in.ts";

interface Licence {
  licence_number: string;
  first_name: string;
  last_name: string;
  expires_on: string;
}

const failure = (status: number, message: string) => always(status, { message });

/** The stand-in of the vendor Roads. */
export const roadsStandIn: StandIn<Licence> = {
  hasCredentials: ({ headers }) => headers.authorization === "Bearer token",
  beside({ path, body }) {
    if (path !== "/token") return undefined;
    return body.key ? { status: 200, body: { token: "token" } } : { status: 401, body: { message: "Invalid key" } };
  },
  asked: ({ path, body }) =>
    path === "/licences"
      ? { kind: "licence", number: String(body.number), claims: { last_name: String(body.surname) } }
      : undefined,
  found: ({ licence_number, first_name, last_name, expires_on }, _, photo) => ({
    holder: { number: licence_number, given: first_name, surname: last_name, expires: expires_on, photo },
  }),
  failures: {
    not_found: always(404, { code: "no_licence" }),
    no_money: failure(402, "Insufficient wallet balance"),
    maintenance: failure(503, "Service unavailable"),
    too_many_requests: failure(429, "Too many requests"),
    no_credentials: failure(401, "Unauthorized"),
    no_route: failure(404, "No such page"),
  },
};
`,
  // A vendor of live keys: only live verifications are in the books and count towards the subject limit.
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

/** Replacements by file, as pairs of old and new text. */
export const newLines: Readonly<Record<string, readonly [before: string, after: string][]>> = {
  "src/declare/check-kind.ts": [
    [
      'nin: personRow("NIN", "nin") }',
      `nin: personRow("NIN", "nin"),
  licence: {
    label: "driver's licence",
    since: "0.2.0",
    claim: "name",
    member: "licence_number",
    negatives: {
      not_found: { status: 404, cause: "No driver's licence has this number.", cure: "Ask the customer." },
      name_mismatch: { status: 422, cause: "The driver's licence has another surname.", cure: "Ask the customer." },
    },
  },
  account: {
    label: "bank account",
    since: "0.2.0",
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
    since: "0.2.0",
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
    [
      'import type { Check, CheckInput, CheckSubject } from "./check.ts";',
      'import type { Check, CheckInput, CheckSubject } from "./check.ts";\nimport { licence } from "./licence.ts";',
    ],
    ['import { nin } from "./nin.ts";', 'import { nin } from "./nin.ts";\nimport { passport } from "./passport.ts";'],
    ["{ bvn, nin }", "{ bvn, nin, licence, account, passport }"],
  ],
  "src/verification/operations/index.ts": [
    [
      'import { verifyBvn } from "./verifyBvn.ts";',
      'import { verifyAccount } from "./verifyAccount.ts";\nimport { verifyBvn } from "./verifyBvn.ts";\n' +
        'import { verifyLicence } from "./verifyLicence.ts";\n' +
        'import { verifyPassport } from "./verifyPassport.ts";',
    ],
    ["  verifyNin,\n", "  verifyNin,\n  verifyLicence,\n  verifyAccount,\n  verifyPassport,\n"],
  ],
  "src/vendors/registry.ts": [
    ["import { dojah }", 'import { invented } from "./invented/index.ts";\nimport { dojah }'],
    ["import { seamfix }", 'import { roads } from "./roads/index.ts";\nimport { seamfix }'],
    ["[blusalt,", "[invented, roads, blusalt,"],
  ],
  "stand-ins/stand-ins.ts": [
    ["import { seamfixStandIn }", 'import { roadsStandIn } from "./roads/stand-in.ts";\nimport { seamfixStandIn }'],
    ["  seamfix: seamfixStandIn,", "  roads: roadsStandIn,\n  seamfix: seamfixStandIn,"],
    ["  peer: ", '  invented: "It has no wire.",\n  peer: '],
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
