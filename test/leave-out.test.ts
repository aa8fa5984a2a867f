import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { suite, test } from "node:test";
import { coreRecords } from "../src/commands/records/record-kinds.ts";
import { features } from "../src/features.ts";
import { copyWithout, listed } from "./support/without-features.ts";

const product = globSync("src/**/*.ts").filter((file) => !/\.(test|fixture)\.ts$/.test(file));
const importsOf = (file: string) =>
  [...readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, target]) =>
    relative(".", join(dirname(file), target!)),
  );
/** The feature that a file belongs to, if it does. */
const featureOf = (file: string) => /^src\/features\/([^/]+)\//.exec(file)?.[1];

/**
 * What features are called by: their names and settings, and those of their commands, operations and audit events, with
 * the feature of each.
 */
async function namesOfFeatures(): Promise<Map<string, string>> {
  const all = { settings: async () => [], auditKinds: async () => [], records: async () => coreRecords };
  const named = features.map(async ({ name, settings = {}, commands = [], operations, auditEvents }) => [
    ...[name, ...commands.flatMap((family) => ("about" in family ? family.name : []))],
    ...Object.values(settings).map((setting) => setting.name),
    ...(await Promise.all(commands.map(({ load }) => load(all)))).flat().map(({ id }) => id),
    ...((await operations?.()) ?? []).flatMap(({ id, path }) => [id, path]),
    ...((await auditEvents?.()) ?? []).map(({ kind }) => kind),
  ]);
  const texts = await Promise.all(named);
  return new Map(texts.flatMap((each, at) => each.map((text) => [text, features[at]!.name] as const)));
}

/** Where such a word stands in another file for something else. */
const otherMeanings: Readonly<Record<string, readonly string[]>> = {
  "a stage of a verification": ["src/verification/in-flight.ts", "src/verification/verification.ts"],
  "a search among prices": ["src/catalogue/guard/findings.ts"],
  "the name of an example": ["src/http/pages/guides.ts"],
  "a limit of verifications": ["src/verification/limits.ts"],
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
    "src/features/call/follow-feed.ts",
    "src/features/request-log/commands.ts",
    "src/features/request-log/read-requests.ts",
    "src/storage/tables/request-tables.ts",
    "src/vendors/ports/outcomes.ts",
    "src/vendors/ports/reasons.ts",
    "src/vendors/prembly/wire.ts",
    "src/verification/routes/upstream-status.ts",
  ],
  "a figure of Prometheus": ["src/features/metrics/metrics.ts"],
  "the trail itself, and what the key ring signs": [
    "src/keyring/keyring.ts",
    "src/features/console/people/new-passkeys.ts",
  ],
  "messages to workers": ["src/serve/serving-worker.ts", "src/serve/worker-messages.ts", "src/serve/worker-pool.ts"],
  "an example in a comment": ["src/cli/add-command.ts", "src/ledger/commands/with-story.ts"],
};

/** What holds a name of a feature, until somebody finds a better place for it. */
const left: Readonly<Record<string, readonly string[]>> = {
  "events that `duba call` follows, in a build that has them": [
    "src/features/call/index.ts",
    "src/features/call/call.ts",
    "src/features/call/forward-events.ts",
  ],
  "figures of the page Now, and the box that finds": [
    "src/features/console/routes/answers.ts",
    "src/features/console/routes/now-routes.ts",
    "src/features/console/routes/run-as.ts",
    "src/features/console/routes/form-routes.ts",
  ],
  "the newest entries of the trail on a page of the console": ["src/features/console/routes/place-parts.ts"],
  "what mends a finding, where a build has it": [
    "src/access/commands/key-commands.ts",
    "src/features/audit-reading/check-commands.ts",
    "src/features/doctor/machine-checks.ts",
  ],
  "what the row of an entry offers, where a build has it": ["src/features/console/routes/row-actions.ts"],
  "what fills an empty list, where a build has it": ["src/verification/commands/route-commands.ts"],
  "words of a time line": ["src/features/ledger-reports/time-line.ts"],
  "kinds of entries that evidence counts": [
    "src/features/evidence/evidence-files.ts",
    "src/features/evidence/read-trail.ts",
  ],
};

suite("features", () => {
  test("are the folders of src/features/, each with a line in src/features.ts", () => {
    const folders = listed.map(({ folder }) => folder.split("/")[1]);
    assert.deepEqual(folders, [...new Set(folders)].sort());
    assert.deepEqual(readdirSync("src/features").sort(), folders);
    assert.deepEqual(features.map(({ name }) => name).sort(), folders);
  });

  test("are imported by their own files and by src/features.ts only", () => {
    const wrong = product.flatMap((file) =>
      importsOf(file)
        .filter((target) => featureOf(target) !== undefined && featureOf(target) !== featureOf(file))
        .filter(() => file !== "src/features.ts")
        .map((target) => `${file} → ${target}`),
    );
    assert.deepEqual(wrong, []);
  });

  test("are named by their own files and by src/features.ts only, but for the files that are listed here", async () => {
    const names = await namesOfFeatures();
    const holding = product.filter((file) => {
      const texts = [...readFileSync(file, "utf8").matchAll(/"([^"\n]*)"(?! in )|'([^'\n]*)'|`([^`]*)`/g)].map(
        ([, double, single, template]) => double ?? single ?? template!,
      );
      return texts.some((text) => names.has(text) && names.get(text) !== featureOf(file));
    });
    const listed = [otherMeanings, left].flatMap((files) => Object.values(files).flat());
    assert.deepEqual(holding.filter((file) => file !== "src/features.ts").sort(), listed.sort());
  });

  test("can all be left out: the core compiles without them", async () => {
    await using copy = copyWithout(listed);
    const tsc = [resolve("node_modules/.bin/tsc"), ["-p", "without.json", "--singleThreaded"]] as const;
    const { status, stdout } = spawnSync(...tsc, { cwd: copy.place, encoding: "utf8" });
    assert.equal(status, 0, stdout);
  });
});
