import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { suite, test } from "node:test";
import { mutants } from "./mutants/mutants.ts";
import { stronglyConnected } from "./support/circles.ts";
import { isAsReleased } from "./support/shipped-files.ts";

interface Import {
  file: string;
  target: string;
}

const floors = readFloors();
const everyFile = globSync("src/**/*.ts");
const files = everyFile.filter((file) => !file.endsWith(".test.ts"));
const imports = files.flatMap(importsOf);

/** The client's own files; `duba.ts` is generated. */
const clientFiles = globSync("client/src/*.ts");
const checkFiles = globSync("check/src/**/*.ts");

/** Names that several files may share, with the one meaning of each name. */
const sharedNames: Record<string, string> = {
  "index.ts": "what a folder offers",
  "commands.ts": "the commands of a room",
};
/** Each folder in these folders has equal parts, so files and exports of the parts may share names. */
const families = ["src/features/", "src/vendors/"];
/** What vendors share. */
const sharedByVendors = ["src/vendors/ports/", "src/vendors/responses/", "src/vendors/sandbox/"];
const isOfFamily = (file: string) =>
  families.some((family) => file.startsWith(family) && file !== join(family, basename(file))) &&
  !sharedByVendors.some((folder) => file.startsWith(folder));

suite("floors", () => {
  test("ARCHITECTURE.md lists exactly the folders of src/", () => {
    assert.deepEqual([...floors.keys()].sort(), placesIn(files));
  });

  test("every import stays in its folder or goes to a lower floor", () => {
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [placeOf(file), placeOf(target)];
      const [floor, below] = [floors.get(from)!, floors.get(to)!];
      return from !== to && floor <= below;
    });
    assert.deepEqual(wrong.map(arrow), []);
  });

  test("the script of the reference page is unchanged since its package's release", () => {
    assert.ok(isAsReleased());
  });

  test("no file imports itself by way of others", () => {
    assert.deepEqual(stronglyConnected(imports.map(({ file, target }) => [file, target])), []);
  });

  test("no two folders side by side import each other, even by way of other folders", () => {
    assert.deepEqual(
      stronglyConnected(imports.filter(({ file }) => !file.endsWith(".fixture.ts")).flatMap(foldersOf)),
      [],
    );
  });

  test("no two files have the same name", () => {
    const named = files.filter((file) => !(basename(file) in sharedNames) && !isOfFamily(file));
    assert.deepEqual(repeated(named.map((file) => [basename(file), file])), []);
  });

  test("no two exports have the same name", () => {
    const alone = files.filter((file) => !isOfFamily(file));
    const exported = alone.flatMap((file) => [...new Set(exportsOf(file))].map((name) => [name, file] as const));
    assert.deepEqual(repeated(exported), []);
  });

  test("every mutant's text occurs once in its file, and its tests exist", () => {
    const lost = mutants.filter(
      ({ file, from, tests }) => textOf(file).split(from).length !== 2 || !tests.every((each) => existsSync(each)),
    );
    assert.deepEqual(
      lost.map(({ name }) => name),
      [],
    );
  });

  test("no literal is spread into a literal, which the formatter would keep on one line", () => {
    const code = globSync("{src,client/src,check/src,pages,deploy,stand-ins}/**/*.ts");
    const spread = code.filter((file) => !file.includes("/migrations/") && /\.\.\.\{/.test(textOf(file)));
    assert.deepEqual(spread, []);
  });

  test("no line is longer than the formatter's 120 columns, not counting templates and URLs", () => {
    const code = globSync("{src,bench,bin,check,client,deploy,pages,stand-ins,test}/**/*.{ts,js,cjs,css}", {
      exclude: ["**/node_modules/**", "**/dist/**"],
    });
    const written = code.filter((file) => !/\/migrations\/\d/.test(file) && file !== "client/src/duba.ts");
    assert.deepEqual(written.flatMap(longLinesOf), []);
  });

  test("tests are written with suite and test", () => {
    const others = globSync("{src,pages,test,bench,client/test,check/test}/**/*.test.ts").filter((file) =>
      /import \{[^}]*\b(?:describe|it)\b[^}]*\} from "node:test"/.test(textOf(file)),
    );
    assert.deepEqual(others, []);
  });

  test("the client imports its own files only, and nothing of src/ imports the client", () => {
    const foreign = clientFiles.filter((file) => /from "(?!\.\/[\w-]+\.ts")/.test(textOf(file)));
    assert.deepEqual(foreign, []);
    assert.deepEqual(
      files.filter((file) => /from "(?:[./]*client\/|duba-client)/.test(textOf(file))),
      [],
    );
  });

  test("the check imports its own files, the document and TypeBox only, and only its command imports the check", () => {
    const foreign = checkFiles.flatMap((file) =>
      targetsOf(file)
        .map((target) => (target.startsWith(".") ? relative(".", join(dirname(file), target)) : target))
        .filter((target) => !/^(?:check\/src\/|openapi\.json$|node:|typebox(?:\/|$))/.test(target))
        .map((target) => `${file} → ${target}`),
    );
    assert.deepEqual(foreign, []);
    assert.deepEqual(
      files.filter((file) => targetsOf(file).some((target) => /^(?:[./]+\/check\/|duba-check)/.test(target))),
      ["src/features/checking/check-command.ts"],
    );
  });

  test("stand-ins/ imports nothing of src/", () => {
    const foreign = globSync("stand-ins/**/*.ts").filter((file) =>
      [...textOf(file).matchAll(/from "(\.[^"]+)"/g)].some(
        ([, path]) => !join(dirname(file), path!).startsWith("stand-ins/"),
      ),
    );
    assert.deepEqual(foreign, []);
  });

  test("src/ loads the pages on first use, and not as it starts", () => {
    const early = files.filter((file) => /from "[./]+\/pages\/(?!guides|html|index|wrong-path)/.test(textOf(file)));
    assert.deepEqual(early, []);
  });

  test("no file imports a module that loads more than it needs", () => {
    const instead: Record<string, string> = {
      typebox: "src/declare/schema/type.ts",
      "node:http": "src/runtime/network/node-http.ts",
      "node:https": "src/runtime/network/bounded-agents.ts",
    };
    const heavy = files.flatMap((file) =>
      [...textOf(file).matchAll(/^import (?!type )[^;]* from "([^"]+)";$/gm)].flatMap(([, module]) =>
        module! in instead && !file.endsWith(".fixture.ts")
          ? [`${file} imports ${module}: use ${instead[module!]}`]
          : [],
      ),
    );
    assert.deepEqual(heavy, []);
  });

  test("only one module opens a server, and only one makes HTTP requests", () => {
    const homeOf = (name: string) =>
      files.filter(
        (file) =>
          !file.endsWith(".fixture.ts") &&
          new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from "[^"]*node-http.ts"`).test(textOf(file)),
      );
    assert.deepEqual(homeOf("createServer"), ["src/http/shell/open-server.ts"]);
    assert.deepEqual(homeOf("request"), ["src/runtime/network/http-client.ts"]);
    assert.deepEqual(
      files.filter((file) => /\bawait fetch\(/.test(textOf(file))),
      [],
    );
  });
});

function readFloors(): Map<string, number> {
  const rows = textOf("ARCHITECTURE.md").matchAll(/^\| (\d+) *\| ((?:`\w+` *)+)\|/gm);
  const places = [...rows].flatMap(([, floor, names]) =>
    [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => [name!, Number(floor)] as const),
  );
  return new Map(places);
}

function placesIn(files: string[]): string[] {
  return [...new Set(files.map(placeOf))].sort();
}

function placeOf(file: string): string {
  return file.split("/")[1]!.replace(/\.ts$/, "");
}

/**
 * The imports of a file from src/. A type import counts as well: Node drops the import, but a reader needs both files.
 */
function importsOf(file: string): Import[] {
  return targetsOf(file)
    .filter((target) => target.startsWith("."))
    .map((target) => ({ file, target: relative(".", join(dirname(file), target)) }))
    .filter(({ target }) => target.startsWith("src/"));
}

/** What a file imports, in its own words. */
function targetsOf(file: string): string[] {
  return [...textOf(file).matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, target]) => target!);
}

/** The two sibling folders that an import connects, if there are two. */
function foldersOf({ file, target }: Import): [from: string, to: string][] {
  const [from, to] = [file.split("/"), target.split("/")];
  const at = from.findIndex((step, index) => step !== to[index]);
  return at < from.length - 1 && at < to.length - 1
    ? [[from.slice(0, at + 1).join("/"), to.slice(0, at + 1).join("/")]]
    : [];
}

/** The numbers of lines over 120 columns, without counting the templates and URLs in these lines. */
function longLinesOf(file: string): string[] {
  const comment = /\/\*[\s\S]*?\*\/|\/\/.*/.source;
  const string = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/.source;
  const inner = /`(?:\\[\s\S]|[^`\\])*`/.source;
  const template = `\`(?:\\\\[\\s\\S]|\\$\\{(?:[^\`}]|${inner})*\\}|[^\`\\\\])*\``;
  const counted = textOf(file)
    .replaceAll(new RegExp(`${comment}|${string}|(${template})`, "g"), (found, isTemplate) =>
      isTemplate ? found.replaceAll(/.+/g, "") : found,
    )
    .replaceAll(/\w+:\/\/\S+/g, "");
  return counted.split("\n").flatMap((line, at) => (line.length > 120 ? [`${file}:${at + 1}`] : []));
}

function exportsOf(file: string): string[] {
  const found = textOf(file).matchAll(
    /^export (?:abstract )?(?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm,
  );
  return [...found].map(([, name]) => name!);
}

/** Each name that several files have, with the paths of these files. */
function repeated(named: readonly (readonly [name: string, file: string])[]): string[] {
  return [...Map.groupBy(named, ([name]) => name)]
    .filter(([, uses]) => uses.length > 1)
    .map(([name, uses]) => `${name}: ${uses.map(([, file]) => file).join(", ")}`);
}

function arrow({ file, target }: Import): string {
  return `${file} → ${target}`;
}

function textOf(file: string): string {
  return readFileSync(file, "utf8");
}
