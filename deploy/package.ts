import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve } from "node:path";
import { build, type OutputFile, type Plugin } from "esbuild-wasm";
import manifest from "../package.json" with { type: "json" };
import { packagedFiles } from "../src/features/console/console-assets.ts";
import { servedFiles } from "../src/http/pages/guides.ts";
import { runningCommit } from "../src/runtime/version.ts";
import { billOfMaterials, librariesOf } from "./bill-of-materials.ts";
import { copyReadable, copyTracked, trackedFiles } from "./tracked-files.ts";

/**
 * `npm run package` runs this first. It writes the package into `dist/`: the bundled service, the files that the
 * service reads, and a `package.json`. Files in `bundle/` have the paths of the repository, so relative paths stay
 * valid.
 */
const root = resolve(import.meta.dirname, "..");
const folder = resolve(process.argv[2] ?? join(root, "dist"));
/** The optional packages that an operator may install with Duba. */
const external = Object.keys(manifest.peerDependencies);

process.chdir(root);
// Root may install the package, and then all users must be able to read its files.
process.umask(0o022);
rmSync(folder, { recursive: true, force: true });
const { outputFiles, metafile } = await build({
  entryPoints: ["src/main.ts", ...globSync("src/**/*.ts", { exclude: isForTests }).flatMap(threadsOf)],
  outbase: ".",
  outdir: "bundle",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node26",
  sourcemap: "linked",
  sourcesContent: false,
  legalComments: "none",
  // Libraries in CommonJS call `require`.
  banner: {
    js: 'import { createRequire as requireOf } from "node:module";\nconst require = requireOf(import.meta.url);',
  },
  external: [...external, "pg-native"],
  define: { packagedCommit: JSON.stringify(runningCommit() ?? "unknown") },
  plugins: [places()],
  metafile: true,
  write: false,
});
for (const output of outputFiles) write(relative(root, output.path), withPlaces(output));
copyTracked(join(folder, "bundle"), [
  "data/starter",
  "src/http/pages/files",
  "src/features/console/static",
  ...servedFiles,
]);
for (const [name, path] of Object.entries(packagedFiles))
  copyReadable(path(), join(folder, "bundle/src/features/console/static", name));
for (const { path, isProgram } of trackedFiles(["bin", "docs", "deploy", ".env.example", "LICENSE", ":(glob)*.md"]))
  if (!path.endsWith(".ts")) copyReadable(path, join(folder, path), isProgram);
const bundled = librariesOf(Object.keys(metafile.inputs));
const servedFrom = Object.values(packagedFiles).map((path) => path());
write("THIRD-PARTY.txt", licences(librariesOf([...Object.keys(metafile.inputs), ...servedFrom])));
const { name, version, description, license, type, engines, bin, optionalDependencies } = manifest;
const { peerDependencies, peerDependenciesMeta } = manifest;
const placed = Object.entries(packagedFiles).map(([name, path]) => [
  `bundle/src/features/console/static/${name}`,
  path(),
]);
const added = [...Object.keys(optionalDependencies), ...external];
write("sbom.cdx.json", asJson(billOfMaterials(manifest, bundled, Object.fromEntries(placed), added)));
write(
  "package.json",
  asJson({
    name,
    version,
    description,
    license,
    type,
    engines,
    bin,
    peerDependencies,
    peerDependenciesMeta,
    optionalDependencies,
  }),
);

function asJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function write(path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function isForTests(path: string): boolean {
  return /\.(?:test|fixture)\.ts$/.test(path);
}

/** The files that a file runs in threads: a file that it names, or itself. */
function threadsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const named = text.matchAll(/new Worker\(new URL\(`\.\/([\w-]+)\$\{extname\(import\.meta\.filename\)\}`/g);
  const isOne = /\b(?:inThread|readChosen)\([^;]*?\bimport\.meta\.url\b/.test(text);
  return [...[...named].map(([, name]) => posix.join(posix.dirname(file), `${name}.ts`)), ...(isOne ? [file] : [])];
}

/** Gives each bundled module its path in the repository, in place of the path of the bundle. */
function places(): Plugin {
  return {
    name: "places",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const place = relative(root, path).replace(/\.ts$/, ".js");
        const contents = readFileSync(path, "utf8")
          .replaceAll("import.meta.url", `placeInBundle("${place}")`)
          .replaceAll("import.meta.filename", `"${place}"`);
        return { loader: "ts", contents };
      });
    },
  };
}

function withPlaces({ path, text }: OutputFile): string {
  const from = dirname(relative("bundle", path));
  return text.replaceAll(/\bplaceInBundle\("(.+?)"\)/g, (_, place) => {
    const to = posix.relative(from, place);
    return `new URL("${to.startsWith(".") ? to : `./${to}`}", import.meta.url).href`;
  });
}

/** The licence terms of the libraries in these folders. */
function licences(libraries: readonly string[]): string {
  const terms = libraries.map((library) => {
    const { name, version } = JSON.parse(readFileSync(`${library}/package.json`, "utf8"));
    const [file] = globSync(`${library}/{LICEN[CS]E,licen[cs]e}*`);
    const text = file
      ? readFileSync(file, "utf8")
      : /^#+ licen[cs]e[\s\S]*/im.exec(readFileSync(`${library}/README.md`, "utf8"))?.[0];
    if (!text) throw new Error(`${name} ships no terms of its licence`);
    return `${name} ${version}\n\n${text.trim()}\n`;
  });
  return terms.join(`\n${"-".repeat(80)}\n\n`);
}
