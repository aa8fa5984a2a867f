import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { after } from "node:test";
import { pathToFileURL } from "node:url";
import tsconfig from "../../tsconfig.json" with { type: "json" };

/** An addition to the product: new files, and replacements in existing files as pairs of old and new text. */
export interface Additions {
  newFiles: Readonly<Record<string, string>>;
  newLines: Readonly<Record<string, readonly (readonly [before: string, after: string])[]>>;
}

/**
 * A copy of the program and its tests with additions, removed after the tests of the file. Git ignores the copy, and
 * Node finds the project's packages from it. Its path is always the same, so that caches of Node and tsc stay valid.
 */
export class ChangedCopy {
  readonly folder: string;
  readonly #name: string;

  constructor(name: string, { newFiles, newLines }: Additions) {
    this.#name = name;
    this.folder = resolve(`.duba-${name}`);
    const remove = () => rmSync(this.folder, { recursive: true, force: true });
    remove();
    after(remove);
    const read = ["data", "docs", "package.json", "package-lock.json", "openapi.json", "tsconfig.json"];
    for (const part of [...tsconfig.include.map((folder) => folder.split("/")[0]!), ...read])
      cpSync(part, join(this.folder, part), { recursive: true, filter: (path) => !path.includes("node_modules") });
    for (const [file, text] of Object.entries(newFiles)) {
      mkdirSync(dirname(join(this.folder, file)), { recursive: true });
      writeFileSync(join(this.folder, file), text);
    }
    for (const [file, changes] of Object.entries(newLines)) {
      let text = readFileSync(file, "utf8");
      for (const [before, after] of changes) {
        assert.equal(text.split(before).length, 2, `${file} has once ${before}`);
        text = text.replace(before, () => after);
      }
      writeFileSync(join(this.folder, file), text);
    }
  }

  /** Loads a module of the copy, typed as in the product. */
  load<Module>(file: string): Promise<Module> {
    return import(pathToFileURL(join(this.folder, file)).href);
  }

  /** Returns the type errors that tsc finds in the whole copy. Empty if there are none. */
  wrongTypes(): string {
    const kept = ["--incremental", "--tsBuildInfoFile", resolve(`node_modules/.cache/${this.#name}.tsbuildinfo`)];
    const given = ["-p", this.folder, "--singleThreaded", ...kept];
    const { status, stdout } = spawnSync(resolve("node_modules/.bin/tsc"), given, { encoding: "utf8" });
    return status === 0 ? "" : stdout || `tsc ended with ${status}`;
  }
}
