import type { Mutant } from "./mutant.ts";

const sumTest = ["src/ledger/journal/rebuild-sums.test.ts"];
const recounted = "src/ledger/journal/recounted-sums.ts";
const older = "src/storage/migrations/older-version.ts";
const listenTest = ["src/features/call/forward-events.test.ts"];

/** Faults in the protection of personal data, in the reach of keys and operators, and in recounted sums. */
export const reachMutants: readonly Mutant[] = [
  {
    name: "a consent reference keeps the name of the person",
    file: "src/verification/operations/verify-person.ts",
    from: "if (consentReference !== undefined && compared)",
    to: 'if (consentReference === "" && compared)',
    tests: ["test/compared-names.test.ts"],
  },
  {
    name: "a consent reference keeps the birth date of the person",
    file: "src/checks/text-about-person.ts",
    from: 'new RegExp(anyOrder(twoDigits, "", year)).test(bare) ||',
    to: "",
    tests: ["src/checks/text-about-person.test.ts", "test/compared-names.test.ts"],
  },
  {
    name: "a number in digits of another script is kept",
    file: "src/runtime/redact.ts",
    from: "const digit =",
    to: 'const digit = "[0-9]";\nexport const everyDigit =',
    tests: ["src/runtime/redact.test.ts"],
  },
  {
    name: "a number of ten digits is no person's",
    file: "src/runtime/redact.ts",
    from: "const shortest = 10;",
    to: "const shortest = 11;",
    tests: ["src/runtime/redact.test.ts"],
  },
  {
    name: "the id of a channel in a URL is a person's",
    file: "src/runtime/redact.ts",
    from: "[1-9]\\\\d{14,}",
    to: "[1-9]\\\\d{19,}",
    tests: ["src/runtime/redact.test.ts"],
  },
  {
    name: "the URL of an endpoint holds a number of a person",
    file: "src/features/events/endpoint-url.ts",
    from: 'return "number";',
    to: "return undefined;",
    tests: ["src/features/events/operations/event-endpoints.test.ts"],
  },
  {
    name: "an upgrade takes every idempotency key away",
    file: "src/ledger/journal/rebuild-sums.ts",
    from: '.where("subject_hash", "=", erased)\n',
    to: "\n",
    tests: sumTest,
  },
  {
    name: "an older version that wrote during the recount is forgotten",
    file: older,
    from: '.where("name", "=", olderVersion).where("created_at", "=", created_at)',
    to: '.where("name", "=", olderVersion)',
    tests: sumTest,
  },
  {
    name: "sums wait for a version that leaves nothing to count",
    file: older,
    from: '.where("migration", "<", countedSince)',
    to: '.where("migration", "<=", countedSince)',
    tests: sumTest,
  },
  {
    name: "sums that are made anew lose what was refused",
    file: recounted,
    from: "? { refused: stored.refused } :",
    to: "? {} :",
    tests: sumTest,
  },
  {
    name: "sums that are made anew hold corrections by hand",
    file: recounted,
    from: " and charges <> 0",
    to: "",
    tests: sumTest,
  },
  {
    name: "sums are made anew of days whose rows retention removes",
    file: recounted,
    from: "ledgerStart(now) + margin",
    to: "ledgerStart(now)",
    tests: sumTest,
  },
  {
    name: "a viewer shares the readings of an officer",
    file: "src/features/console/routes/now-routes.ts",
    from: "${name} ${request.session.person.role}",
    to: "${name}",
    tests: ["test/page-walk.test.ts"],
  },
  {
    name: "a passkey confirms another input",
    file: "src/features/console/routes/confirm-deed.ts",
    from: 'if (typeof given === "string") deed[name] = await plain(given);',
    to: 'if (typeof given === "string") deed[name] = "";',
    tests: ["src/features/console/step-up.test.ts"],
  },
  {
    name: "a passkey confirms another list of texts",
    file: "src/features/console/routes/confirm-deed.ts",
    from: 'typeof each === "string" ? plain(each) :',
    to: 'typeof each === "string" ? "" :',
    tests: ["src/features/console/step-up.test.ts"],
  },
  {
    name: "an answer that is kept is for every role",
    file: "src/features/console/routes/form-routes.ts",
    from: "!mayRun(request.session.person.role, sent) || ",
    to: "",
    tests: ["test/page-walk.test.ts"],
  },
  {
    name: "the box searches by a phone number without its 0",
    file: "src/features/find/find-command.ts",
    from: "!holdsLongNumber(text))",
    to: "!holdsLongNumber(text, /\\p{Nd}{11}/u))",
    tests: ["src/commands/records/records.test.ts"],
  },
  {
    name: "a hyphen that breaks no line hides a number of a person",
    file: "src/declare/fields.ts",
    from: "text.replaceAll(/[^A-Za-z\\p{Nd}]/gu",
    to: "text.replaceAll(/[\\s().+_-]/g",
    tests: ["src/commands/records/records.test.ts"],
  },
  {
    name: "the box searches by a day of birth",
    file: "src/commands/records/record-kinds.ts",
    from: "/\\d/.test(text) && !/^\\d{1,4}",
    to: "/\\d/.test(text) || !/^\\d{1,4}",
    tests: ["src/commands/records/records.test.ts"],
  },
  {
    name: "a person ends the sessions of everybody",
    file: "src/features/console/people/sessions.ts",
    from: '.deleteFrom("console_session")\n    .where("person_id", "=", personId)',
    to: '.deleteFrom("console_session")',
    tests: ["src/features/console/own-sign-in.test.ts"],
  },
  {
    name: "the tab of an account counts the keys of all",
    file: "src/access/commands/list-keys-command.ts",
    from: "(await standings(store, account)).length",
    to: "(await standings(store)).length",
    tests: ["src/features/console/pages.test.ts"],
  },
  {
    name: "a verification shows what another account got by the same request id",
    file: "src/features/request-log/read-requests.ts",
    from:
      '.where("account_id", "=", accountId)\n    .where("mode", "=", mode)\n' +
      '    .where("reference", "=", reference)',
    to: '.where("mode", "=", mode)',
    tests: ["src/commands/records/records.test.ts"],
  },
  {
    name: "a page of verifications begins with the last of the page before",
    file: "src/features/ledger-reports/list-verifications.ts",
    from: "reference < ${after.reference}",
    to: "reference <= ${after.reference}",
    tests: ["src/verification/commands/list-verifications-command.test.ts"],
  },
  {
    name: "who follows from a time misses the event of that moment",
    file: "src/features/call/call.ts",
    from: "Date.parse(String(timestamp)) >= from",
    to: "Date.parse(String(timestamp)) > from",
    tests: listenTest,
  },
  {
    name: "a line to copy holds what a server made up",
    file: "src/features/call/call.ts",
    from: "next !== undefined && /^[\\w.-]+$/.test(next)",
    to: "next !== undefined",
    tests: ["src/features/call/follow-feed.test.ts"],
  },
  {
    name: "a part of the interface that came later does not say since when",
    file: "pages/openapi/schema.ts",
    from: "return { ...inlined(schema), ...sinceOf(since) };",
    to: "return inlined(schema);",
    tests: ["pages/openapi/document.test.ts"],
  },
  {
    name: "a public id of a key and any secret are a credential",
    file: "src/access/keys/find-key.ts",
    from: "return row && sameHash(row.secret_hash, hash) ?",
    to: "return row ?",
    tests: ["src/access/authenticator.test.ts"],
  },
  {
    name: "a passkey signs in with a challenge of long ago",
    file: "src/features/console/people/passkeys.ts",
    from: "age >= 0 && age < challengeLife && sameHash(",
    to: "age >= 0 && sameHash(",
    tests: ["src/features/console/doors.test.ts"],
  },
  {
    name: "a passkey signs in with a challenge that we did not make",
    file: "src/features/console/people/passkeys.ts",
    from: "sameHash(secretHash(mac), secretHash(sign(made)))",
    to: "mac !== made",
    tests: ["src/features/console/doors.test.ts"],
  },
  {
    name: "the next vendor is called before the ledger names it",
    file: "src/verification/attempts/asked-vendors.ts",
    from:
      "if (!(await this.#failOver(next, result))) return interrupted(result);\n" +
      "      result = withEarlier(result, await this.#verify(next.upstream));",
    to:
      "const before = result;\n      result = withEarlier(result, await this.#verify(next.upstream));\n" +
      "      if (!(await this.#failOver(next, before))) break;",
    tests: ["src/verification/attempts/failover.test.ts"],
  },
];
