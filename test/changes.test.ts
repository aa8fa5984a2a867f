import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { suite, test } from "node:test";
import packageJson from "../package.json" with { type: "json" };
import { openapi } from "../pages/openapi/document.ts";
import { type Version, versions } from "../src/declare/versions.ts";
import { everyOperation } from "../src/wire/every-operation.ts";
import { changelogHeading } from "./support/changes-page.ts";
import { interfaceText, isBefore, partsOf } from "./support/interface-parts.ts";

const parts = partsOf(openapi(everyOperation, packageJson.version));
const named = (text: string) => {
  const lines = text.trim().split("\n");
  return new Set(lines.flatMap((line) => line.split(" ").map((name, _, [of]) => `${of} ${name}`)));
};

suite("the interface", () => {
  for (const file of globSync("test/stores/*/interface.txt")) {
    const release = basename(dirname(file));
    const had = named(readFileSync(file, "utf8"));

    test(`every part of the interface that ${release} had still exists`, () => {
      const missing = had.difference(named(interfaceText(parts)));
      assert.deepEqual([...missing], []);
    });

    test(`parts that are newer than ${release} state their version, and none is required`, () => {
      for (const { of, name, since } of parts.filter(({ of, name }) => !had.has(`${of}: ${name}`))) {
        assert.ok(isBefore(release, since), `${of} ${name} came after ${release}: its value needs a \`since\`.`);
        const isRequired = name.startsWith("(") && !name.endsWith("?)");
        assert.ok(!(isRequired && had.has(`operations: ${of}`)), `${of} has callers that send no ${name}.`);
      }
    });
  }

  test("every version that a part names is in the table of versions", () => {
    for (const { of, name, since } of parts) assert.ok(Object.hasOwn(versions, since), `${of} ${name}: ${since}`);
  });
});

suite("versions", () => {
  test("releases have the same days as in the changelog, and only the newest may have none", () => {
    const changelog = readFileSync("CHANGELOG.md", "utf8");
    const released = (Object.keys(versions) as Version[]).filter((version) => versions[version] !== null);
    assert.equal(released.at(-1), packageJson.version);
    for (const version of released) assert.ok(changelog.includes(`\n${changelogHeading(version)}\n`), version);
    assert.ok(Object.keys(versions).length - released.length <= 1);
  });
});
