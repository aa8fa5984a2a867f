import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { type DownloadPath, downloadOf, downloads } from "../src/http/pages/guides.ts";

/**
 * `npm run release -- [--key FILE] [--to FOLDER]`: writes everything that a release consists of into `release/`, from the commit
 * that is checked out and without the network. Two clones of a commit write the same bytes. `--key`: a private key of ssh, which
 * signs the list of hashes. It publishes nothing: RUNBOOK.md, "Release", has a person's commands.
 */
const root = resolve(import.meta.dirname, "..");
const { values: wanted } = parseArgs({ options: { key: { type: "string" }, to: { type: "string" } } });
const folder = resolve(wanted.to ?? join(root, "release"));
const sums = "SHA256SUMS";
/** What the signature is for, so that it cannot be taken for one of something else. */
const namespace = "duba-release";

process.chdir(root);
const changed = run("git", "status", "--porcelain").trim();
if (changed !== "") throw new Error(`A release is made from a commit. These files differ from it:\n${changed}`);
rmSync(folder, { recursive: true, force: true });

const staging = join(root, "dist");
run(process.execPath, "deploy/package.ts", staging);
mkdirSync(folder, { recursive: true });
run("npm", "pack", "--silent", "--pack-destination", folder, staging);
run("npm", "pack", "--silent", "--pack-destination", folder, "--workspace", "duba-client");
for (const path of Object.keys(downloads) as DownloadPath[]) write(basename(path), downloadOf(path));
for (const file of ["openapi.json", "LICENSE", "deploy/container/Containerfile"]) copy(file);
for (const file of ["sbom.cdx.json", "THIRD-PARTY.txt"]) copy(join(staging, file));
write("RELEASE-NOTES.md", notes());

const files = readdirSync(folder).sort();
const lines = files.map((file) => `${hashOf(join(folder, file))}  ${file}\n`);
write(sums, lines.join(""));
if (wanted.key) run("ssh-keygen", "-q", "-Y", "sign", "-f", wanted.key, "-n", namespace, join(folder, sums));
console.log(`${lines.join("")}\n${lines.length} files of ${manifest.name} ${manifest.version} are in ${folder}.`);
console.log(
  wanted.key ? `${sums}.sig is the signature of their hashes.` : "They are not signed: --key FILE signs them.",
);

/** What the changelog says of this version. */
function notes(): string {
  const section = readFileSync("CHANGELOG.md", "utf8")
    .split(/^(?=## )/m)
    .find((part) => part.split("\n")[0]!.includes(manifest.version));
  if (!section) throw new Error(`CHANGELOG.md has no section of ${manifest.version}.`);
  if (!/^### Upgrades from, and back to$/m.test(section))
    throw new Error(`CHANGELOG.md does not say what ${manifest.version} upgrades from, and how far one may go back.`);
  return section.replace(/^## .*$/m, `# Duba ${manifest.version}`);
}

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

function copy(file: string): void {
  copyFileSync(file, join(folder, basename(file)));
}

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

function hashOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
