import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

/**
 * `npm run update:packed`: writes what Duba uses of a library of many files as one file, from the installed version. Node takes longer to
 * find and link 490 small files than to run all of ours.
 */
const esbuild = "esbuild@0.28.2";
const libraries: Record<string, { library: string; licence: string; exports: string }> = {
  kysely: {
    library: "kysely",
    licence: "LICENSE",
    exports: `export {
  AbortedTransactionError, createQueryId, expressionBuilder, Kysely, PostgresAdapter, PostgresDialect, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql,
} from "kysely";
export { Migrator } from "kysely/migration";
`,
  },
  "typebox-schema": {
    library: "typebox",
    licence: "license",
    exports: `export { Compile } from "typebox/schema";\n`,
  },
};

mkdirSync("packed", { recursive: true });
for (const [name, { library, licence, exports }] of Object.entries(libraries)) {
  const { version } = JSON.parse(readFileSync(`node_modules/${library}/package.json`, "utf8"));
  const script = execFileSync(
    "npx",
    ["--yes", esbuild, "--bundle", "--format=esm", "--platform=node", "--target=node24"],
    {
      input: exports,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  const terms = readFileSync(`node_modules/${library}/${licence}`, "utf8").trim();
  const head = `// ${library} ${version}, written by npm run update:packed\n/*!\n${terms}\n*/\n`;
  writeFileSync(`packed/${name}.js`, head + script);
  console.log(`wrote packed/${name}.js from ${library} ${version}`);
}
