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
