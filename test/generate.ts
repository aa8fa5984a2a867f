import { readFileSync, writeFileSync } from "node:fs";
import packageJson from "../package.json" with { type: "json" };
import { openapi } from "../pages/openapi/document.ts";
import { labelOf } from "../src/declare/check-kind.ts";
import { confirms, givenAway } from "../src/declare/command.ts";
import { inputBesidePath } from "../src/declare/operation.ts";
import { features } from "../src/features.ts";
import { scenarioRows } from "../src/http/rehearsal/scenarios.ts";
import { silent } from "../src/runtime/log.ts";
import { everyTable } from "../src/storage/tables/every-table.ts";
import { VendorFile } from "../src/vendors/files/vendor-file.ts";
import { vendors } from "../src/vendors/registry.ts";
import { VendorClient } from "../src/vendors/vendor-client.ts";
import { everyCommand } from "../src/wire/every-command.ts";
import { everyOperation } from "../src/wire/every-operation.ts";
import { standIns, withoutStandIn } from "../stand-ins/stand-ins.ts";
import { withBlock } from "./support/blocks.ts";
import { changesPage } from "./support/changes-page.ts";
import { phpMethods, phpTypes } from "./support/client-php.ts";
import { pythonMethods, pythonTypes } from "./support/client-python.ts";
import { clientSource } from "./support/client-source.ts";
import { commandsPage } from "./support/commands-page.ts";
import { numbersTables } from "./support/numbers-tables.ts";
import { environmentExample, settingsPage } from "./support/settings-page.ts";

const document = openapi(everyOperation, packageJson.version);

/** `npm run generate` writes the generated files. With `--check` it only names the files that are out of date. */
const generated: Record<string, string> = {
  "openapi.json": `${JSON.stringify(document, null, 2)}\n`,
  "ARCHITECTURE.md": withBlock(readFileSync("ARCHITECTURE.md", "utf8"), "features", featuresTable()),
  "docs/changes.md": changesPage(document),
  ".env.example": environmentExample(),
  "docs/commands.md": await commandsPage(),
  "client/src/duba.ts": clientSource(everyOperation),
  "docs/clients/duba.php": withBlocks("docs/clients/duba.php", {
    types: phpTypes(everyOperation),
    operations: phpMethods(everyOperation),
  }),
  "docs/clients/duba.py": withBlocks("docs/clients/duba.py", {
    types: pythonTypes(everyOperation),
    operations: pythonMethods(everyOperation),
  }),
  "docs/sandbox.md": withBlock(
    withBlock(readFileSync("docs/sandbox.md", "utf8"), "numbers", numbersTables()),
    "scenarios",
    scenariosTable(),
  ),
  "docs/vendors.md": withBlock(readFileSync("docs/vendors.md", "utf8"), "vendors", await vendorsTable()),
  "docs/vendors/vendor-file.schema.json": vendorFileSchema(),
  "docs/threat-model.md": withBlock(readFileSync("docs/threat-model.md", "utf8"), "gives", await giftsTable()),
  "docs/what-we-hold.md": withBlock(readFileSync("docs/what-we-hold.md", "utf8"), "held", heldTable()),
  "docs/settings.md": settingsPage(),
  "docs/operations.md": withBlock(readFileSync("docs/operations.md", "utf8"), "operations", operationTables()),
};

const check = process.argv.includes("--check");
for (const [file, text] of Object.entries(generated)) {
  if (read(file) === text) continue;
  if (check) {
    console.error(`${file} is not what the code says. Run: npm run generate`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    console.log(`wrote ${file}`);
  }
}

function vendorFileSchema(): string {
  return `${JSON.stringify({ $schema: "https://json-schema.org/draft/2020-12/schema", ...VendorFile }, null, 2)}\n`;
}

function withBlocks(file: string, blocks: Record<string, string>): string {
  return Object.entries(blocks).reduce(
    (text, [name, block]) => withBlock(text, name, block),
    readFileSync(file, "utf8"),
  );
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function featuresTable(): string {
  const rows = features
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, about }) => `| \`${name}\` | ${about} |`);
  return ["| feature | what it adds |", "| --- | --- |", ...rows].join("\n");
}

function scenariosTable(): string {
  const rows = scenarioRows().map(
    ({ scenario, result, description }) => `| \`${scenario}\` | \`${result}\` | ${description} |`,
  );
  return ["| Duba-Scenario | result | what happens |", "| --- | --- | --- |", ...rows].join("\n");
}

/** A table of the commands that a passkey confirms, with the reason for each command. */
async function giftsTable(): Promise<string> {
  const confirmed = (await everyCommand()).filter((each) => confirms(each) !== "never" && each.only !== "terminal");
  const rows = [...givenAway, undefined].map((gift) => {
    const named = confirmed.filter(({ gives }) => gives === gift);
    const words = named.map((each) => `\`${each.id}\`${confirms(each) === "sometimes" ? " (not always)" : ""}`);
    return `| ${gift ?? "nothing, but nobody can undo it, or callers notice it at once"} | ${words.join(", ")} |`;
  });
  return ["| what | commands |", "| --- | --- |", ...rows].join("\n");
}

/** A table of the data about a verified person in the store's tables. */
function heldTable(): string {
  const rows = Object.values(everyTable)
    .flatMap(({ personal }) => personal ?? [])
    .map(
      ({ what, kept, how, until, isErased }) =>
        `| ${what} | ${kept} | ${how} | ${until} | ${isErased ? "yes" : "no"} |`,
    );
  const heading = "| what | is it kept? | how | how long | does an erasure remove it? |";
  return [heading, "| --- | --- | --- | --- | --- |", ...rows].join("\n");
}

function operationTables(): string {
  const [documented, others] = [true, false].map((kind) =>
    everyOperation.filter(({ documented }) => documented === kind),
  );
  return [
    "The documented interface:",
    operationTable(documented!),
    "For clients of the documented operations, and Duba's own:",
    operationTable(others!),
  ].join("\n\n");
}

function operationTable(operations: typeof everyOperation): string {
  const rows = operations.map((operation) => {
    const { id, summary, access, scope } = operation;
    const credential = { credential: scope ? `\`${scope}\`` : "any key", anonymous: "open", own: "its own" }[access];
    return `| \`${id}\` | \`${requestOf(operation)}\` | ${summary} | ${credential} |`;
  });
  return ["| name | request | what it gives | credential |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function requestOf(operation: (typeof everyOperation)[number]): string {
  const { method, path, carriage } = operation;
  const inQuery = Object.keys(inputBesidePath(operation).properties);
  const query = carriage === "body" || inQuery.length === 0 ? "" : `?${inQuery.map((name) => `${name}=`).join("&")}`;
  return `${method} ${path}${query}`;
}

async function vendorsTable(): Promise<string> {
  const http = new VendorClient({ timeout: 1, connections: 1, keepAlive: false, log: silent });
  const rows = vendors.map(async ({ name, about, settings, open }) => {
    const usual = Object.entries(settings).map(([member, setting]) => [member, setting.default]);
    const { kinds, needs = [] } = await open(Object.fromEntries(usual), { http, log: silent });
    const standIn = name in standIns ? `\`duba stand-in ${name}\`` : (withoutStandIn[name] ?? "");
    return `| [${name}](vendors/${name}.md) | ${kinds.map(labelOf).join(", ")} | ${needs.join(", ")} | ${about} | ${standIn} |`;
  });
  return [
    "| vendor | checks | needs | what it is, and how far it was tried | stand-in |",
    "| --- | --- | --- | --- | --- |",
    ...(await Promise.all(rows)),
  ].join("\n");
}
