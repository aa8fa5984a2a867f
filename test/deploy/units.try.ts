import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { readConfig } from "../../src/config/read-config.ts";
import { widthOf } from "../../src/runtime/network/address.ts";
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

test("container images have the package's version", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  for (const file of ["compose.yaml", "kubernetes.yaml"]) {
    const named = [...readFileSync(`deploy/container/${file}`, "utf8").matchAll(/image: (duba\S*)/g)].map(
      ([, name]) => name,
    );
    assert.deepEqual(new Set(named), new Set([`duba:${version}`]));
  }
});

const hasYaml = spawnSync("python3", ["-c", "import yaml"]).status === 0;

suite("the manifest for Kubernetes", { skip: hasYaml ? false : "python3 with yaml is not installed" }, () => {
  type Labels = { matchLabels?: Record<string, string> };
  interface Specs {
    Deployment: {
      selector: Labels;
      template: {
        spec: { containers: { env: { name: string; value: string }[]; ports: { name: string }[] }[] };
      };
    };
    NetworkPolicy: {
      podSelector: Labels;
      policyTypes: string[];
      ingress: { from: { namespaceSelector?: Labels; podSelector?: Labels }[]; ports: { port: string }[] }[];
    };
    Ingress: {
      ingressClassName: string;
      rules: { http: { paths: { backend: { service: { port: { name: string } } } }[] } }[];
    };
    Service: { ports: object[] };
  }
  let manifests: readonly { kind: string; spec: unknown }[];
  before(() => {
    const script = "import json, sys, yaml; json.dump(list(yaml.safe_load_all(sys.stdin)), sys.stdout)";
    const input = readFileSync("deploy/container/kubernetes.yaml");
    const { status, stdout, stderr } = spawnSync("python3", ["-c", script], { input, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    manifests = JSON.parse(stdout);
  });
  const specOf = <Kind extends keyof Specs>(kind: Kind): Specs[Kind] => {
    const [found, ...others] = manifests.filter((manifest) => manifest.kind === kind);
    assert.deepEqual([found?.kind, others], [kind, []]);
    return found!.spec as Specs[Kind];
  };

  test("the manifest trusts no network wider than the pods of one node", () => {
    const { env } = specOf("Deployment").template.spec.containers[0]!;
    const { value } = env.find(({ name }) => name === "DUBA_TRUST_PROXY")!;
    const { trustProxy } = readConfig({ DUBA_TRUST_PROXY: value });
    assert.ok(trustProxy.length > 0 && trustProxy.every((entry) => widthOf(entry) >= 24), value);
  });

  test("the manifest lets only the ingress controller reach the interface, and only the monitoring the metrics", () => {
    const { podSelector, policyTypes, ingress } = specOf("NetworkPolicy");
    const { selector, template } = specOf("Deployment");
    assert.deepEqual([podSelector, policyTypes], [selector, ["Ingress"]]);
    const ports = template.spec.containers[0]!.ports.map(({ name }) => name);
    const reached = ingress.map(({ from, ports }) => {
      assert.deepEqual([from.length, ports.length], [1, 1], "a second one would be let in as well");
      const { namespaceSelector, podSelector } = from[0]!;
      const labels = [namespaceSelector, podSelector].map((selector) => Object.values(selector?.matchLabels ?? {}));
      return { port: ports[0]!.port, labels };
    });
    const { ingressClassName, rules } = specOf("Ingress");
    assert.deepEqual(reached, [
      { port: "http", labels: [[ingressClassName], [ingressClassName]] },
      { port: "metrics", labels: [["monitoring"], []] },
    ]);
    assert.deepEqual(
      reached.map(({ port }) => port),
      ports,
    );
    const { service } = rules[0]!.http.paths[0]!.backend;
    assert.deepEqual(
      [service.port.name, specOf("Service").ports],
      ["http", [{ name: "http", port: 80, targetPort: "http" }]],
    );
  });
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
    test(`${unit} has few privileges`, () => {
      const args = ["security", "--offline=yes", unit];
      const { stdout } = spawnSync("systemd-analyze", args, { cwd: place, encoding: "utf8" });
      const [, exposure] = /exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
      assert.ok(Number(exposure) <= mostExposed, stdout);
    });
});
