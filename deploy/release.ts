import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { type DownloadPath, downloadOf, downloads } from "../src/http/pages/guides.ts";
import { copyReadable, copyTracked } from "./tracked-files.ts";

/**
 * `npm run release -- [--key FILE] [--to FOLDER]`: writes all files of a release into `release/`, from the checked-out
 * commit and without the network. Two clones of a commit write identical bytes. `--key`: a private ssh key that signs
 * the list of hashes. The version must match the tag of the commit; a clone without tags uses package.json. It
 * publishes nothing: RUNBOOK.md, "Publish a release", has the commands for a person.
 */
const root = resolve(import.meta.dirname, "..");
const { values: wanted } = parseArgs({ options: { key: { type: "string" }, to: { type: "string" } } });
const folder = resolve(wanted.to ?? join(root, "release"));
const sums = "SHA256SUMS";
/** The purpose of the signature, so that no other signature of the key passes as one of a release. */
const namespace = "duba-release";

process.chdir(root);
process.umask(0o022);
refuse(whyNot());
for (const name of releaseIn(folder)) rmSync(join(folder, name));

const staging = join(root, "dist");
run(process.execPath, "deploy/package.ts", staging);
mkdirSync(folder, { recursive: true });
run("npm", "pack", "--silent", "--pack-destination", folder, staging);
packClient();
for (const path of Object.keys(downloads) as DownloadPath[]) write(basename(path), downloadOf(path));
for (const file of ["openapi.json", "LICENSE", "deploy/container/Containerfile"]) copy(file);
for (const file of ["sbom.cdx.json", "THIRD-PARTY.txt"]) copy(join(staging, file));
write("RELEASE-NOTES.md", notes());

const files = readdirSync(folder).sort();
const lines = files.map((file) => `${hashOf(join(folder, file))}  ${file}\n`);
write(sums, lines.join(""));
if (wanted.key) run("ssh-keygen", "-q", "-Y", "sign", "-f", wanted.key, "-n", namespace, join(folder, sums));
console.log(`${lines.join("")}\n${lines.length} files of ${manifest.name} ${manifest.version} are in ${folder}.`);
if (isWithoutTags())
  console.log("This clone has no tags: the version is that of package.json, and no tag was compared with the commit.");
console.log(
  wanted.key ? `${sums}.sig is the signature of their hashes.` : "They are not signed: --key FILE signs them.",
);

function refuse(reasons: readonly string[]): void {
  if (reasons.length === 0) return;
  console.error(reasons.join("\n"));
  process.exit(1);
}

/** Why this checkout is no release of its version. Read before anything is made or removed. */
function whyNot(): string[] {
  const { key } = wanted;
  const reasons: string[] = [];
  try {
    if (key !== undefined) accessSync(key);
  } catch {
    reasons.push(`There is no key ${key}.`);
  }
  const changed = run("git", "status", "--porcelain").trim();
  if (changed !== "") reasons.push(`A release is made from a commit. These files differ from it:\n${changed}`);
  const commit = run("git", "rev-parse", "HEAD").trim();
  const tag = `v${manifest.version}`;
  const tagged = run("git", "for-each-ref", "--format=%(*objectname) %(objectname)", `refs/tags/${tag}`).trim();
  if (tagged === "") {
    if (!isWithoutTags())
      reasons.push(`Commit ${commit} is no release: no tag ${tag} names it. Tag it: git tag ${tag}`);
  } else if (!tagged.split(" ").includes(commit))
    reasons.push(
      `Commit ${commit} is not ${tag}, which is ${tagged.split(" ")[0]}. Check that out: git checkout ${tag}`,
    );
  const [, unreleased] = /^## Unreleased$([\s\S]*?)(?=^## )/m.exec(readFileSync("CHANGELOG.md", "utf8")) ?? [];
  if (unreleased?.trim())
    reasons.push(`CHANGELOG.md says under "Unreleased" what commit ${commit} has beyond ${manifest.version}.`);
  if (!/^ARG BASE=node:\S+@sha256:[0-9a-f]{64}$/m.test(readFileSync("deploy/container/Containerfile", "utf8")))
    reasons.push("deploy/container/Containerfile pins BASE by no digest: see docs/contributing/release.md.");
  const strange = existsSync(folder) ? readdirSync(folder).filter((name) => !releaseIn(folder).includes(name)) : [];
  if (strange.length > 0)
    reasons.push(`${folder} has what is of no release, and nothing of it is removed: ${strange.join(", ")}`);
  return reasons;
}

/** Whether this clone has no tag that could name a release. */
function isWithoutTags(): boolean {
  return run("git", "tag", "--list", "v*").trim() === "";
}

/** The files in a folder that an earlier release wrote. */
function releaseIn(folder: string): string[] {
  if (!existsSync(join(folder, sums))) return [];
  const listed = readFileSync(join(folder, sums), "utf8").matchAll(/^[0-9a-f]{64} {2}([^/\n]+)$/gm);
  return [...[...listed].map(([, name]) => name!), sums, `${sums}.sig`].filter((name) =>
    existsSync(join(folder, name)),
  );
}

/** Packs a copy of the client, because the permissions of its own files depend on the user who checked them out. */
function packClient(): void {
  rmSync("client/dist", { recursive: true, force: true });
  run("npm", "run", "--silent", "build", "--workspace", "duba-client");
  const copied = mkdtempSync(join(tmpdir(), "duba-client-"));
  copyTracked(copied, ["client/package.json", "client/README.md"]);
  for (const file of globSync("client/dist/**/*.*")) copyReadable(file, join(copied, file));
  run("npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", folder, join(copied, "client"));
  rmSync(copied, { recursive: true });
}

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
  copyReadable(file, join(folder, basename(file)));
}

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

function hashOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
