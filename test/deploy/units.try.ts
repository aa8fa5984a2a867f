import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { has } from "./proxy.ts";

const units = readdirSync("deploy/systemd").filter((file) => /\.(service|timer)$/.test(file));
/** Of ten: systemd calls up to 2 "OK". */
const mostExposed = 2;

/** What systemd 252 makes of each line. */
const asSystemdReads = {
  "PLAIN=a#b # c": "a#b # c",
  "  SPACED =  x y  ": "x y",
  "SINGLE='a \"b\" \\ #c'  ": 'a "b" \\ #c',
  'DOUBLE="a \\"q\\" \\$HOME \\x b\\\\s" tail': 'a "q" $HOME \\x b\\stail',
  "MIXED='one'\"two\"three": "onetwothree",
  "EMPTY=": "",
  "HASH=#x": "#x",
  "LONG=one\\\ntwo": "onetwo",
  'TWO="one\ntwo"': "one\ntwo",
  "URL=postgres://duba:p#s%w@h/db?x=y&z=$HOME": "postgres://duba:p#s%w@h/db?x=y&z=$HOME",
  'INSIDE=it\'s "fine"': `it's "fine"`,
  "# COMMENT=1": undefined,
  "; COMMENT=2": undefined,
  nothing: undefined,
  "export NAME=1": undefined,
};

test("the command duba reads the settings as systemd does", async () => {
  const { readEnvironmentFile } = await import(new URL("../../deploy/systemd/run.js", import.meta.url).href);
  const named = Object.entries(asSystemdReads).flatMap(([line, value]) =>
    value === undefined ? [] : [[line.split("=", 1)[0]!.trim(), value]],
  );
  assert.deepEqual(readEnvironmentFile(Object.keys(asSystemdReads).join("\n")), Object.fromEntries(named));
});

test("images have the version of the package", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  for (const file of ["compose.yaml", "kubernetes.yaml"]) {
    const named = [...readFileSync(`deploy/container/${file}`, "utf8").matchAll(/image: (duba\S*)/g)].map(
      ([, name]) => name,
    );
    assert.deepEqual(new Set(named), new Set([`duba:${version}`]));
  }
});

suite("units for systemd", { skip: has("systemd-analyze") ? false : "systemd-analyze is not installed" }, () => {
  let place: string;
  before(() => {
    place = mkdtempSync(join(tmpdir(), "duba-units-"));
    for (const unit of units) {
      const text = readFileSync(`deploy/systemd/${unit}`, "utf8");
      writeFileSync(join(place, unit), text.replaceAll("/opt/duba/node_modules/.bin/node", process.execPath));
    }
  });
  after(() => rmSync(place, { recursive: true, force: true }));

  for (const unit of units)
    test(`${unit} is well formed`, () => {
      const { status, stderr } = spawnSync("systemd-analyze", ["verify", unit], { cwd: place, encoding: "utf8" });
      assert.deepEqual([status, stderr], [0, ""]);
    });

  for (const unit of units.filter((unit) => unit.endsWith(".service")))
    test(`${unit} may do little`, () => {
      const args = ["security", "--offline=yes", unit];
      const { stdout } = spawnSync("systemd-analyze", args, { cwd: place, encoding: "utf8" });
      const [, exposure] = /exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
      assert.ok(Number(exposure) <= mostExposed, stdout);
    });
});
