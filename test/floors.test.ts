import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, it } from "node:test";

const floors = readFloors();
const top = Math.max(...floors.values());
const files = globSync("src/**/*.ts").filter((file) => !file.endsWith(".test.ts"));

describe("floors", () => {
  it("has every place of src/ in the table of ARCHITECTURE.md, and no other", () => {
    assert.deepEqual([...new Set(files.map(placeOf))].sort(), [...floors.keys()].sort());
  });

  for (const file of files) {
    it(`${file} imports only downwards`, () => {
      const from = placeOf(file);
      for (const target of importsOf(file)) {
        if (!target.startsWith("src/")) continue;
        const to = placeOf(target);
        const allowed =
          from === to || floors.get(from)! > floors.get(to)! || (floors.get(from) === top && floors.get(to) === top);
        assert.ok(
          allowed,
          `${file} imports ${target}: ${from} (floor ${floors.get(from)}) may not know ${to} (floor ${floors.get(to)})`,
        );
      }
    });
  }

  it("keeps Fastify in http/", () => {
    const others = files.filter(
      (file) => placeOf(file) !== "http" && /from "fastify"/.test(readFileSync(file, "utf8")),
    );
    assert.deepEqual(others, []);
  });
});

function readFloors(): Map<string, number> {
  const rows = readFileSync("ARCHITECTURE.md", "utf8").matchAll(/^\| (\d) *\| ((?:`\w+` *)+)\|/gm);
  const places = [...rows].flatMap(([, floor, names]) =>
    [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => [name!, Number(floor)] as const),
  );
  return new Map(places);
}

function placeOf(file: string): string {
  return file.split("/")[1]!.replace(/\.ts$/, "");
}

function importsOf(file: string): string[] {
  const found = readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...found].map(([, target]) => relative(".", join(dirname(file), target!)));
}
