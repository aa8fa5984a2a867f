import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import shipped from "./support/shipped-files.json" with { type: "json" };
import { scriptHash } from "./support/shipped-files.ts";

/**
 * `npm run update:packed`: writes what Duba uses of a library of many files as one file, from the installed version. Node takes longer to
 * find and link 530 small files than to run all of ours.
 */
const esbuild = "esbuild@0.28.2";
const libraries: Readonly<Record<string, { library: string; exports: string; isCommonJs?: true }>> = {
  commander: {
    library: "commander",
    exports: `export { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";\n`,
  },
  kysely: {
    library: "kysely",
    exports: `export {
  AbortedTransactionError, createQueryId, expressionBuilder, Kysely, PostgresAdapter, PostgresDialect, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql,
} from "kysely";
export { Migrator } from "kysely/migration";
`,
  },
  pino: { library: "pino", exports: `export { pino } from "pino";\n`, isCommonJs: true },
  "typebox-schema": { library: "typebox", exports: `export { Compile } from "typebox/schema";\n` },
};
const requires = 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);';
/** It is a global too, and to import it reads all of its members: 4 ms. */
const importOfProcess = 'import process from "node:process";\n';

const hashes: Record<string, string> = {};
mkdirSync("packed", { recursive: true });
for (const [name, { library, exports, isCommonJs }] of Object.entries(libraries)) {
  const { version } = JSON.parse(readFileSync(`node_modules/${library}/package.json`, "utf8"));
  const options = ["--bundle", "--format=esm", "--platform=node", "--target=node24"];
  if (isCommonJs) options.push(`--banner:js=${requires}`);
  const script = execFileSync("npx", ["--yes", esbuild, ...options], {
    input: exports,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const folders = script.matchAll(/^ *\/\/ ((?:node_modules\/(?:@[^/]+\/)?[^/\n]+\/)+)/gm);
  const own = `node_modules/${library}/`;
  const terms = [...new Set([own, ...[...folders].map(([, folder]) => folder!)])].map((folder) => {
    const text = readFileSync(globSync(`${folder}{LICENSE,license}*`)[0]!, "utf8").trim();
    return folder === own ? text : `${folder}\n\n${text}`;
  });
  const head = `// ${library} ${version}, written by npm run update:packed\n/*!\n${terms.join("\n\n")}\n*/\n`;
  const text = head + script.replace(importOfProcess, "");
  writeFileSync(`packed/${name}.js`, text);
  hashes[`packed/${name}.js`] = scriptHash(text);
  console.log(`wrote packed/${name}.js from ${library} ${version}`);
}
writeFileSync("test/support/shipped-files.json", `${JSON.stringify({ ...shipped, packed: hashes }, null, 2)}\n`);
