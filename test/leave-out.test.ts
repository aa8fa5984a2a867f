import assert from "node:assert/strict";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { suite, test } from "node:test";
import { subjects } from "../src/catalogue/model/lists.ts";
import { coreRecords } from "../src/commands/records/record-kinds.ts";
import { coreSettings } from "../src/config/settings.ts";
import { features } from "../src/features.ts";
import { listed } from "./support/without-features.ts";

const product = globSync("src/**/*.ts").filter((file) => !/\.(test|fixture)\.ts$/.test(file));
const importsOf = (file: string) =>
  [...readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, target]) =>
    relative(".", join(dirname(file), target!)),
  );
/** The feature that a file belongs to, if there is one. */
const featureOf = (file: string) => /^src\/features\/([^/]+)\//.exec(file)?.[1];

/**
 * The feature behind each name: of a feature, a setting, a command, an operation, an audit event.
 */
async function namesOfFeatures(): Promise<Map<string, string>> {
  const all = { settings: async () => [], auditKinds: async () => [], records: async () => coreRecords };
  const named = features.map(async ({ name, settings = {}, commands = [], operations, auditEvents }) => [
    ...[name, ...commands.flatMap((family) => ("about" in family ? family.name : []))],
    ...Object.values(settings).map((setting) => setting.name),
    ...(await Promise.all(commands.map(({ load }) => load(all)))).flat().map(({ id }) => id),
    ...((await operations?.()) ?? []).flatMap(({ id, path, limit }) =>
      typeof limit === "string" ? [id, path] : [id, path, limit.name],
    ),
    ...((await auditEvents?.()) ?? []).map(({ kind }) => kind),
  ]);
  const texts = await Promise.all(named);
  // These names are not a feature's own: settings of the core, and subjects of the catalogue's documents.
  const ofCore = new Set<string>([...coreSettings.map(({ name }) => name), ...subjects]);
  return new Map(
    texts.flatMap((each, at) =>
      each.filter((text) => !ofCore.has(text)).map((text) => [text, features[at]!.name] as const),
    ),
  );
}

/**
 * Code that proposes a command. A build without the command leaves the proposal out: `mend("See why", "routes.show")`,
 * `by: "keys.create"`.
 */
const proposals = /\bmend\(\s*(?:"[^"\n]*"|(?:richText)?`[^`]*`),\s*"[\w.-]+"|\bby: "[\w.-]+"/g;

/** Files in which a feature's name has another meaning, by that meaning. */
const otherMeanings: Readonly<Record<string, readonly string[]>> = {
  "a stage of a verification": ["src/verification/in-flight.ts", "src/verification/verification.ts"],
  "a search among prices": ["src/catalogue/guard/findings.ts"],
  "the name of an example": ["src/http/pages/guides.ts"],
  "a limit of verifications": ["src/ledger/statements/within-limits.ts"],
  "a part of the page Now, which people of one role share": ["src/features/console/routes/now-routes.ts"],
  "a group of a menu": ["src/features/console/site-map.ts"],
  "a member of the status that the menu counts": ["src/commands/console-page.ts"],
  "a list to choose from, where a build has it": ["src/features/console/routes/pickers.ts"],
  "the name of a column": ["src/features/doctor/machine-checks.ts"],
  "the counter by which processes see that the order of vendors changed": [
    "src/storage/migrations/0001_baseline.ts",
    "src/storage/tables.ts",
    "src/verification/identity.ts",
    "src/verification/routes/decide-vendor-order.ts",
    "src/verification/routes/paused-vendors.ts",
  ],
  "deeds that are left out with their commands": ["src/features/demo/reseller.ts"],
  "a member of a pause": ["src/features/routes/route-commands.ts"],
  "a role of ARIA": ["src/features/console/routes/landing.ts"],
  "a box of a form": ["src/features/console/view/form-field.ts"],
  "a mode of answers": ["src/declare/operation.ts"],
  "what the keyring signs": ["src/audit/chain/seal.ts"],
  "the note of the newest backup, and its alarm": [
    "src/storage/last-backup.ts",
    "src/features/health/alarm-commands.ts",
    "src/features/health/alarms.ts",
  ],
  "a rule of the outbox, which is of the core": ["src/storage/tables/event-tables.ts"],
  "people whom verifications are about": ["src/features/evidence/count-people.ts"],
  "a status of HTTP, or of a vendor": [
    "src/catalogue/commands/effect-on-look-ups.ts",
    "src/features/call/follow-feed.ts",
    "src/features/request-log/commands.ts",
    "src/features/request-log/read-requests.ts",
    "src/storage/tables/request-tables.ts",
    "src/vendors/ports/outcomes.ts",
    "src/vendors/ports/reasons.ts",
    "src/verification/routes/upstream-status.ts",
  ],
  "a figure of Prometheus": ["src/features/metrics/metrics.ts"],
  "the trail itself, and what the key ring signs": [
    "src/keyring/keyring.ts",
    "src/features/console/people/new-passkeys.ts",
  ],
  "kinds of entries of the trail, which are there still when a build lacks what wrote them": [
    "src/features/evidence/evidence-files.ts",
    "src/features/evidence/read-trail.ts",
    "src/features/ledger-reports/time-line.ts",
  ],
  "messages to workers": ["src/serve/serving-worker.ts", "src/serve/worker-messages.ts", "src/serve/worker-pool.ts"],
  "an example in a comment": ["src/cli/add-command.ts", "src/ledger/commands/with-story.ts"],
};

suite("features", () => {
  test("each folder of src/features/ has a line in src/features.ts", () => {
    const folders = listed.map(({ folder }) => folder.split("/")[1]);
    assert.deepEqual(folders, [...new Set(folders)].sort());
    assert.deepEqual(readdirSync("src/features").sort(), folders);
    assert.deepEqual(features.map(({ name }) => name).sort(), folders);
  });

  test("only a feature's own files and src/features.ts import the feature", () => {
    const wrong = product.flatMap((file) =>
      importsOf(file)
        .filter((target) => featureOf(target) !== undefined && featureOf(target) !== featureOf(file))
        .filter(() => file !== "src/features.ts")
        .map((target) => `${file} → ${target}`),
    );
    assert.deepEqual(wrong, []);
  });

  test("only a feature's own files, src/features.ts and files listed in this test name the feature", async () => {
    const names = await namesOfFeatures();
    const holding = product.filter((file) => {
      const texts = [
        ...readFileSync(file, "utf8")
          .replaceAll(proposals, "")
          .matchAll(/"([^"\n]*)"(?! in )|'([^'\n]*)'|`([^`]*)`/g),
      ].map(([, double, single, template]) => double ?? single ?? template!);
      return texts.some((text) => names.has(text) && names.get(text) !== featureOf(file));
    });
    const listed = Object.values(otherMeanings).flat();
    assert.deepEqual(holding.filter((file) => file !== "src/features.ts").sort(), listed.sort());
  });
});
