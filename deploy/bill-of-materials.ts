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
  /** Whether an install may choose another version, because an unbundled package asks for a version range. */
  floats?: boolean;
  /** The path in the package of a library that ships as a separate file. */
  file?: string;
}

const packages = lock.packages as Record<string, Locked>;
const root = resolve(import.meta.dirname, "..");

/** The folders of the libraries that contain these files. */
export function librariesOf(files: readonly string[]): string[] {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(resolve(file))?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/**
 * A CycloneDX document of the package's parts: the bundled libraries, the library files that the service serves, and
 * the packages that an install adds. `bundled`: folders of libraries. `files`: library files by their path in the
 * package. `external`: names of packages that an install adds.
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

/** Packages that an install adds, with their own dependencies, each listed once. */
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

/** SPDX ids of licences that some packages give by another name. */
const spdxIds: Record<string, string> = { "BSD-0-Clause": "0BSD" };

/** A licence by its SPDX id, or several licences as an SPDX expression. */
function licensesOf(license: string) {
  return license.includes(" ") ? [{ expression: license }] : [{ license: { id: spdxIds[license] ?? license } }];
}

function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
}

function sha256(content: Buffer): Component["hashes"][number] {
  return { alg: "SHA-256", content: createHash("sha256").update(content).digest("hex") };
}
