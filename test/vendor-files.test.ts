import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { fileVendor } from "../src/vendors/files/file-vendor.ts";
import type { VendorFile } from "../src/vendors/files/vendor-file.ts";
import { startStandIn } from "../src/vendors/sandbox/start-stand-in.ts";
import type { RunningStandIn } from "../stand-ins/identity-server.ts";
import { nodeEnvironment, type ServedProcess, serveInProcess } from "./support/process.ts";
import { ask, sandboxKey } from "./support/service.ts";

const fixtureOf = (name: string) => readFileSync(`src/vendors/files/fixtures/${name}.json`, "utf8");
const vendorOf = (text: string) => fileVendor(JSON.parse(text) as VendorFile);

/** A built-in vendor with an operator's change: the number has another name in the request. */
const mended = (() => {
  const file = JSON.parse(readFileSync("src/vendors/prembly/vendor.json", "utf8"));
  file.title = "Our Prembly";
  file.kinds.bvn.json = { bvn: "{number}" };
  file.samples[0].request.json = { bvn: "22000000017" };
  return JSON.stringify(file);
})();

suite("a service with vendor files", () => {
  let folder: string;
  let files: string;
  let standIns: RunningStandIn[];
  let environment: Record<string, string>;
  let service: ServedProcess;
  let live: string;

  const duba = (...argv: string[]) => dubaWith({}, ...argv);
  const dubaWith = (more: Record<string, string>, ...argv: string[]) => {
    const env = { ...nodeEnvironment, ...environment, ...more };
    return spawnSync(process.execPath, ["src/main.ts", ...argv], { encoding: "utf8", env });
  };
  const put = (name: string, text: string) => writeFileSync(join(files, name), text, { mode: 0o600 });

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "duba-vendor-files-"));
    files = mkdtempSync(join(folder, "vendors-"));
    put("flat.json", fixtureOf("flat"));
    put("form.json", fixtureOf("form"));
    const prices = { bvn: 5000, nin: 4000, "*.not_found": 1000 };
    standIns = await Promise.all(
      ["flat", "form"].map((name) => startStandIn(vendorOf(fixtureOf(name)), { port: 0, prices })),
    );
    const secret = join(folder, "password");
    writeFileSync(secret, "password-of-ours\n", { mode: 0o600 });
    environment = {
      DUBA_DATA: join(folder, "data"),
      DUBA_BOOTSTRAP_KEY: sandboxKey,
      DUBA_STAND_INS: "on",
      DUBA_VENDOR_FILES: files,
      DUBA_UPSTREAMS: "flatone,formal",
      DUBA_UPSTREAM_PRICES: "flatone.bvn=50,flatone.bvn.not_found=10,formal.nin=40,formal.nin.not_found=10",
      DUBA_FLATONE_URL: standIns[0]!.url,
      DUBA_FLATONE_KEY: "key-of-ours",
      DUBA_FORMAL_URL: standIns[1]!.url,
      DUBA_FORMAL_USER_ID: "user-of-ours",
      DUBA_FORMAL_PASSWORD_FILE: secret,
    };
    service = await serveInProcess({ ...environment, DUBA_LOG_LEVEL: "trace" });
    live = duba("keys", "create", "--account", "sandbox@example.com", "--mode", "live").stdout.trim();
  });
  after(async () => {
    await service.end("SIGKILL");
    for (const standIn of standIns) await standIn.close();
    rmSync(folder, { recursive: true });
  });

  const verify = async (kind: "bvn" | "nin", number: string) => {
    const body = { [kind]: number, phone: `080${number.slice(-8)}`, amount: "100" };
    const { status, json } = await ask(service.port, `/api/v2/kyc/verify-${kind}`, {
      method: "POST",
      body,
      credential: live,
    });
    return status === 200 ? `200 ${json.data.personal_info.last_name}` : `${status} ${json.error.code}`;
  };

  test("a service verifies at vendors from files, and charges only for verified people", async () => {
    assert.equal(await verify("bvn", "22000004717"), "200 Ibekwe");
    assert.equal(await verify("bvn", "22000004701"), "404 bvn_not_found");
    assert.equal(await verify("nin", "30000004717"), "200 IBEKWE");
    assert.equal(await verify("nin", "30000004701"), "404 nin_not_found");
    assert.equal(await verify("nin", "30000004708"), "502 upstream_bad_response");
    assert.equal(await verify("nin", "30000004711"), "504 upstream_timeout");
    const { verifications } = JSON.parse(duba("ledger", "list", "--mode", "live", "--json").stdout);
    const rows = verifications.map(
      (row: Record<string, unknown>) => `${row.upstream} ${row.kind} ${row.state} ${row.charged}`,
    );
    assert.deepEqual(rows.slice(-4), [
      "formal nin not_found false",
      "formal nin verified true",
      "flatone bvn not_found false",
      "flatone bvn verified true",
    ]);
    const billed = standIns.map(({ calls }) => calls.map(({ outcome, price }) => `${outcome} ${price}`));
    assert.deepEqual(billed[0], ["found 5000", "not_found null"]);
  });

  test("doctor and `upstreams show` know the settings of vendor files, and doctor and the log show no secret", () => {
    const shown = JSON.parse(duba("upstreams", "show", "formal", "--json").stdout);
    assert.deepEqual([shown.place, shown.missing], [2, []]);
    assert.deepEqual(shown.settings, ["DUBA_FORMAL_URL", "DUBA_FORMAL_USER_ID", "DUBA_FORMAL_PASSWORD"]);
    const doctor = duba("doctor", "--json");
    assert.doesNotMatch(doctor.stdout + doctor.stderr, /is not a setting|password-of-ours|key-of-ours/);
    const { stderr, status } = dubaWith({ DUBA_FLATONE_KEY: "" }, "doctor");
    assert.equal(status, 2, stderr);
    assert.match(stderr, /^DUBA_UPSTREAMS names flatone, but DUBA_FLATONE_KEY must be set for it\.$/m);
    const { stderr: typed } = dubaWith({ DUBA_FLATONE_KYE: "x" }, "doctor");
    assert.match(typed, /DUBA_FLATONE_KYE is not a setting of Duba\. Did you mean DUBA_FLATONE_KEY\?/);
    for (const secret of ["password-of-ours", "key-of-ours", "22000004717", "Ibekwe"])
      assert.ok(!service.written().includes(secret), secret);
  });

  test("a vendor file replaces the built-in vendor of the same name", async () => {
    put("prembly.json", mended);
    try {
      const { stdout } = duba("upstreams", "file", "prembly");
      assert.equal(JSON.parse(stdout).title, "Our Prembly");
      assert.match(duba("upstreams", "check", join(files, "prembly.json")).stdout, /Nothing is wrong\./);
    } finally {
      rmSync(join(files, "prembly.json"));
    }
  });

  test("doctor refuses a vendor file that is invalid, open to others or in conflict with a setting", () => {
    const startWith = (text: string, mode = 0o600) => {
      writeFileSync(join(files, "other.json"), text, { mode });
      try {
        return dubaWith({ DUBA_UPSTREAMS: "flatone" }, "doctor");
      } finally {
        rmSync(join(files, "other.json"));
      }
    };
    const wrong = startWith(fixtureOf("nested").replace('"authorization": "Bearer {token}"', '"x-key": "x-canary-x"'));
    assert.equal(wrong.status, 2);
    assert.match(wrong.stderr, /wrong at \/headers\/x-key: A secret may stand in the file\. Make it a setting/);
    assert.doesNotMatch(wrong.stderr, /canary/);
    assert.match(startWith(fixtureOf("nested"), 0o640).stderr, /open to other users \(mode 640\): run chmod 600/);
    const taken = fixtureOf("nested")
      .replaceAll("nestly", "upstream")
      .replaceAll("NESTLY_CLIENT_ID", "UPSTREAM_TIMEOUT")
      .replaceAll("NESTLY", "UPSTREAM");
    assert.match(startWith(taken).stderr, /names DUBA_UPSTREAM_TIMEOUT, which is another setting of Duba/);
  });
});
