import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import lock from "../package-lock.json" with { type: "json" };
import shipped from "../test/support/shipped-files.json" with { type: "json" };
import { scalarFile } from "../test/support/shipped-files.ts";

/** What npm's lock file says of a package. */
interface Locked {
  version?: string;
  integrity?: string;
  license?: string;
  dependencies?: Record<string, string>;
}

interface Component {
  name: string;
  version: string;
  license?: string | undefined;
  /** Hashes as CycloneDX names them. */
  hashes: { alg: "SHA-256" | "SHA-512"; content: string }[];
  /** Whether an install may bring another version, because a package that is not in the bundle asks for a range. */
  floats?: boolean;
  /** The file in the package, for a library that ships as a file of its own. */
  file?: string;
}

const packages = lock.packages as Record<string, Locked>;
const root = resolve(import.meta.dirname, "..");

/** The folders of the libraries that these files belong to. */
export function librariesOf(files: readonly string[]): string[] {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(resolve(file))?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/**
 * A CycloneDX document of what the package consists of: the libraries in its bundle, the libraries' files that it
 * serves, and the packages that an install adds. `bundled`: folders of libraries. `files`: the library's file by its
 * path in the package. `external`: names of packages that an install adds.
 */
export function billOfMaterials(
  { name, version, license }: { name: string; version: string; license: string },
  bundled: readonly string[],
  files: Readonly<Record<string, string>>,
  external: readonly string[],
): object {
  const inside = bundled.map((folder) => installed(relative(root, folder)));
  const served = Object.entries(files).map(([path, file]): Component => {
    const { hashes: _, ...library } = installed(relative(root, librariesOf([file])[0]!));
    return { ...library, file: path, hashes: [sha256(readFileSync(file))] };
  });
  const scalar: Component = {
    name: "@scalar/api-reference",
    version: shipped.scalar.version,
    license: "MIT",
    file: `bundle/${scalarFile}`,
    hashes: [sha256(brotliDecompressSync(readFileSync(scalarFile)))],
  };
  const components = [...inside, ...served, scalar, ...withDependencies(external)].map(asComponent);
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": purlOf(name, version),
        name,
        version,
        purl: purlOf(name, version),
        licenses: licensesOf(license),
      },
    },
    components,
    dependencies: [{ ref: purlOf(name, version), dependsOn: components.map((component) => component["bom-ref"]) }],
  };
}

/** Packages that an install adds, with what they ask for themselves. Each stands there once. */
function withDependencies(names: readonly string[]): Component[] {
  const found = new Map(names.map((name) => [name, { ...installed(`node_modules/${name}`), floats: false }]));
  // A map visits what is added meanwhile.
  for (const name of found.keys())
    for (const further of Object.keys(packages[`node_modules/${name}`]!.dependencies ?? {}))
      if (!found.has(further)) found.set(further, { ...installed(`node_modules/${further}`), floats: true });
  return [...found.values()];
}

/** A package of the lock file. `place`: its folder below the repository. */
function installed(place: string): Component {
  const { version, integrity, license } = packages[place] ?? {};
  if (version === undefined || integrity === undefined) throw new Error(`package-lock.json does not pin ${place}`);
  const [, hash] = /^sha512-(.+)$/.exec(integrity)!;
  return {
    name: place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length),
    version,
    license,
    hashes: [{ alg: "SHA-512", content: Buffer.from(hash!, "base64").toString("hex") }],
  };
}

function asComponent({ name, version, license, hashes, floats, file }: Component) {
  const purl = purlOf(name, version);
  const properties = [
    ...(file === undefined ? [] : [{ name: "duba:file", value: file }]),
    ...(floats ? [{ name: "duba:version", value: "floats: the newest that its range allows is installed" }] : []),
  ];
  return {
    type: "library",
    "bom-ref": file === undefined ? purl : `${purl}#${file}`,
    name,
    version,
    purl,
    ...(license === undefined ? {} : { licenses: licensesOf(license) }),
    hashes,
    ...(properties.length === 0 ? {} : { properties }),
  };
}

/** SPDX ids of licences that a package gives by another name. */
const spdxIds: Record<string, string> = { "BSD-0-Clause": "0BSD" };

/** One licence by its SPDX id, several as an SPDX expression. */
function licensesOf(license: string) {
  return license.includes(" ") ? [{ expression: license }] : [{ license: { id: spdxIds[license] ?? license } }];
}

function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
}

function sha256(content: Buffer): Component["hashes"][number] {
  return { alg: "SHA-256", content: createHash("sha256").update(content).digest("hex") };
}
