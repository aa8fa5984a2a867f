import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * `npm run new:vendor NAME` creates the folder of an identity vendor, its page, and its lines in the registry and among
 * the stand-ins. The new vendor works at once, and its suite names each place to fill in.
 */
const name = process.argv[2] ?? "";
const registry = "src/vendors/registry.ts";
const standIns = "stand-ins/stand-ins.ts";
const folder = `src/vendors/${name}`;
const longestLine = 120;

/** The new files by the file in `test/new-vendor/` from which each is made. */
const files: Readonly<Record<string, string>> = {
  "index.ts": `${folder}/index.ts`,
  "wire.ts": `${folder}/wire.ts`,
  "suite.ts": `${folder}/${name}.test.ts`,
  "stand-in.ts": `stand-ins/${name}/stand-in.ts`,
  "samples/bvn.json": `stand-ins/${name}/samples/bvn.json`,
  "samples/failures.json": `stand-ins/${name}/samples/failures.json`,
  "page.md": `docs/vendors/${name}.md`,
};

if (!/^[a-z]{2,20}$/.test(name) || name === "sandbox")
  fail("npm run new:vendor NAME, where NAME is 2 to 20 small letters.");
if (existsSync(folder)) fail(`${folder} exists.`);

for (const [template, file] of Object.entries(files)) {
  mkdirSync(dirname(file), { recursive: true });
  const text = filled(readFileSync(`test/new-vendor/${template}`, "utf8"));
  const samples = file.startsWith("stand-ins/") ? "./samples/" : `../../../stand-ins/${name}/samples/`;
  writeFileSync(file, text.replaceAll("./samples/", samples));
}
writeFileSync(registry, registered(readFileSync(registry, "utf8")));
writeFileSync(standIns, withStandIn(readFileSync(standIns, "utf8")));
const laid = [folder, `stand-ins/${name}`, registry, standIns];
// Biome puts the imports at their places.
execFileSync("node_modules/.bin/biome", ["check", "--write", "--vcs-enabled=false", ...laid], { stdio: "pipe" });
console.log(`Wrote ${Object.values(files).join(", ")}, and a line in ${registry} and ${standIns}.
Then: npx node --test ${folder}/${name}.test.ts names what is left to fill in, and npm run generate writes its settings into the documents.`);

/**
 * The text for this vendor. The template files are for a vendor called acme, and their imports begin in
 * `test/new-vendor/`.
 */
function filled(text: string): string {
  const capital = name[0]!.toUpperCase() + name.slice(1);
  return text
    .replaceAll('"../../src/vendors/', '"../')
    .replaceAll('"../../src/', '"../../')
    .replaceAll('"../../stand-ins/', '"../')
    .replaceAll("acme", name)
    .replaceAll("ACME", name.toUpperCase())
    .replaceAll("Acme", capital);
}

/** The text of the registry with the vendor in alphabetical order. */
function registered(text: string): string {
  const list = /^const builtIn: readonly Vendor\[\] = \[([^\]]*)\];$/m;
  const names = [...list.exec(text)![1]!.matchAll(/\w+/g)].map(([each]) => each);
  const sorted = [...names, name].sort();
  const line = `const builtIn: readonly Vendor[] = [${sorted.join(", ")}];`;
  const lines = `const builtIn: readonly Vendor[] = [\n${sorted.map((each) => `  ${each},\n`).join("")}];`;
  const imported = `import { ${name} } from "./${name}/index.ts";\n${text}`;
  return imported.replace(list, line.length > longestLine ? lines : line);
}

/** The table of stand-ins with the vendor's stand-in in alphabetical order. */
function withStandIn(text: string): string {
  const entries = /(?<=^export const standIns: .* = \{\n)( {2}\w+: \w+,\n)+/m;
  const sorted = (all: string) => `${all}  ${name}: ${name}StandIn,\n`.match(/.+\n/g)!.sort().join("");
  return `import { ${name}StandIn } from "./${name}/stand-in.ts";\n${text}`.replace(entries, sorted);
}

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}
