import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, suite, test } from "node:test";
import { json, LocalVendor } from "../src/vendors/local-vendor.fixture.ts";
import { freePort } from "./support/free-port.ts";
import { ask, startService, type TestService } from "./support/service.ts";
import { until } from "./support/until.ts";

const folder = "deploy/prometheus";
const rules = readFileSync(`${folder}/alerts.yaml`, "utf8");
const cases = readFileSync(`${folder}/alerts.test.yaml`, "utf8");
const board = readFileSync("deploy/grafana/duba.json", "utf8");

const has = (program: string) => spawnSync(program, ["--version"]).status === 0;
const missing = (program: string) =>
  has(program) ? false : `${program} is not installed: it comes with the package prometheus of Debian.`;

/** The metrics that a text names. */
const namesIn = (text: string) => new Set(text.match(/\b(?:duba|nodejs|process)_[a-z0-9_]+/g));

suite("alert rules and the board", () => {
  let vendor: LocalVendor;
  let service: TestService;
  let port: number;
  before(async () => {
    vendor = await LocalVendor.start();
    vendor.behaviour = json(402, { error: "insufficient balance" });
    service = await startService({
      DUBA_METRICS: "127.0.0.1:0",
      DUBA_UPSTREAMS: "dojah",
      DUBA_DOJAH_URL: vendor.url,
      DUBA_DOJAH_APP_ID: "app",
      DUBA_DOJAH_KEY: "key",
    });
    port = await service.metrics!.listen();
    const { text: credential } = await service.newKey({ mode: "live" });
    await service.verify({ credential });
    await service.verify({ bvn: "00000000006" });
  });
  after(async () => {
    await service.close();
    await vendor.close();
  });

  test("alert rules and dashboard use only existing metrics, and the cases of the rules their labels", async () => {
    const { text } = await ask(port, "/metrics");
    const known = new Set<string>();
    for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
      for (const suffix of type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]) known.add(`${name}${suffix}`);
    const unknown = [...namesIn(rules), ...namesIn(cases), ...namesIn(board)].filter((name) => !known.has(name));
    assert.deepEqual(unknown, []);

    const labelsOf = (labels = "") => [...labels.matchAll(/(\w+)=/g)].map(([, label]) => label!).sort();
    const scraped = new Map(
      [...text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)].map(([, name, labels]) => [name!, labelsOf(labels)]),
    );
    const added = ["instance", "job"];
    let compared = 0;
    for (const [, name, labels] of cases.matchAll(/series: '(duba_\w+)(?:\{(.*?)\})?'/g)) {
      const real = scraped.get(name!);
      if (!real) continue;
      compared += 1;
      assert.deepEqual(
        labelsOf(labels).filter((label) => !added.includes(label)),
        real,
        `${name}`,
      );
    }
    assert.ok(compared > 20, String(compared));
  });

  test("each metric is explained in docs/watching.md, and each alert has a section in RUNBOOK.md", async () => {
    const { text } = await ask(port, "/metrics");
    const explained = readFileSync("docs/watching.md", "utf8");
    const sections = readFileSync("RUNBOOK.md", "utf8").split(/^### /m);
    const metrics = [...text.matchAll(/^# TYPE (duba_\w+)/gm)].map(([, name]) => name!);
    const alerts = [...rules.matchAll(/alert: (\w+)[\s\S]*?severity: (\w+)/g)];
    assert.ok(metrics.length + alerts.length > 30);
    assert.deepEqual(
      metrics.filter((name) => !explained.includes(`\`${name}\``)),
      [],
    );
    for (const [, name, severity] of alerts) {
      const section = sections.find((section) => section.startsWith(`${name}\n`));
      assert.match(section ?? "", new RegExp(`\\*\\*${severity}\\.\\*\\* .{20}`), name!);
    }
    // No section of the document describes an alert that no longer exists.
    const names = sections.slice(1).map((section) => section.split("\n", 1).join());
    assert.deepEqual(names.sort(), alerts.map(([, name]) => name!).sort());
  });

  test("every alert rule is well formed", { skip: missing("promtool") }, () => {
    for (const args of [
      ["check", "rules", `${folder}/alerts.yaml`],
      ["check", "config", `${folder}/prometheus.yaml`],
    ]) {
      const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8" });
      assert.equal(status, 0, `${stdout}${stderr}`);
    }
  });

  test("alert rules fire for their problem, and not for a healthy service", { skip: missing("promtool") }, () => {
    const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", `${folder}/alerts.test.yaml`], {
      encoding: "utf8",
    });
    assert.equal(status, 0, `${stdout}${stderr}`);
    // The cases name each alert.
    const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name!);
    assert.deepEqual(
      alerts.filter((name) => !cases.includes(name)),
      [],
    );
  });

  test("Prometheus evaluates the alert rules on a real scrape", { skip: missing("prometheus") }, async () => {
    const place = mkdtempSync(join(tmpdir(), "duba-prometheus-"));
    const config = readFileSync(`${folder}/prometheus.yaml`, "utf8")
      .replaceAll("127.0.0.1:9464", `127.0.0.1:${port}`)
      .replaceAll(": 15s", ": 1s")
      .replace("alerts.yaml", resolve(folder, "alerts.yaml"));
    writeFileSync(join(place, "prometheus.yaml"), config);
    const free = await freePort();
    const prometheus = spawn(
      "prometheus",
      [
        `--config.file=${place}/prometheus.yaml`,
        `--storage.tsdb.path=${place}/data`,
        `--web.listen-address=127.0.0.1:${free}`,
      ],
      { stdio: "ignore" },
    );
    const ended = once(prometheus, "exit");
    try {
      const get = async (path: string): Promise<ServiceResponse> =>
        (await fetch(`http://127.0.0.1:${free}/api/v1/${path}`)).json() as Promise<ServiceResponse>;
      const evaluated = async () => (await get("rules").catch(() => undefined))?.data.groups?.[0]?.rules ?? [];
      const alarmRule = async () => (await evaluated()).find(({ name }) => name === "DubaVendorAlarm");
      await until(async () => (await alarmRule())?.state === "pending");
      assert.deepEqual(
        (await evaluated()).filter(({ health }) => health === "err"),
        [],
      );
      for (const { expr } of targetsOf(board)) {
        const query = expr.replaceAll("$__rate_interval", "1m").replaceAll("$mode", ".*");
        const { status, error } = await get(`query?query=${encodeURIComponent(query)}`);
        assert.equal(status, "success", `${error}: ${expr}`);
      }
    } finally {
      prometheus.kill();
      await ended;
      rmSync(place, { recursive: true, force: true });
    }
  });
});

/** What Prometheus answers. */
interface ServiceResponse {
  status: string;
  error?: string;
  data: { groups?: { rules: { name: string; state: string; health: string }[] }[] };
}

function targetsOf(text: string): { expr: string }[] {
  const { panels } = JSON.parse(text) as { panels: { targets?: { expr: string }[] }[] };
  return panels.flatMap(({ targets = [] }) => targets);
}
