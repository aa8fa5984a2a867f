import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { ChangedCopy } from "./support/changed-copy.ts";
import type { ran as ranHere } from "./support/command-line.ts";
import { engines, type Fresh } from "./support/engines.ts";
import { electricityCompanies } from "./support/new-list.ts";
import { type ServedProcess, serveInProcess, serveProgram } from "./support/process.ts";
import { ask, sandboxKey } from "./support/service.ts";
import { noticed } from "./support/until.ts";

const copy = new ChangedCopy("new-list", electricityCompanies);
const path = "/api/v2/electricity/fetch-companies";
const feed = "/api/v2/catalogue/changes";
const list = "electricity-companies";
const credential = sandboxKey;

suite("a list of the catalogue that is a value, an operation and a starter file", () => {
  let folder: string;
  let fresh: Fresh;
  let service: ServedProcess;
  let environment: Record<string, string>;
  let ran: typeof ranHere;

  const serve = (settings: Record<string, string>) =>
    serveProgram(process.execPath, [join(copy.folder, "src/main.ts"), "serve"], {
      DUBA_BOOTSTRAP_KEY: sandboxKey,
      DUBA_LIMITS: "off",
      ...settings,
    });
  const duba = async (...argv: string[]) => {
    const { exitCode, out, err } = await ran(argv, { environment });
    assert.equal(exitCode, 0, err);
    return out;
  };
  const namesAt = async (port: number) => {
    const { json } = await ask(port, path, { credential });
    return json.billers?.map(({ name }: { name: string }) => name);
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "duba-list-"));
    fresh = await engines[0]!.ready();
    environment = { DUBA_DATA: fresh.settings.dataDirectory };
    ({ ran } = await copy.load<typeof import("./support/command-line.ts")>("test/support/command-line.ts"));
    service = await serve(environment);
  });
  after(async () => {
    await service.end("SIGKILL");
    await fresh.dispose();
    await rm(folder, { recursive: true });
  });

  test("a new list is served from its starter file, to callers with a credential", async () => {
    const { status, json } = await ask(service.port, path, { credential });
    assert.equal(status, 200);
    assert.deepEqual(json.billers, [
      { type: "ikeja", id: 1, name: "IKEDC", narration: "Ikeja Electric", image: "" },
      { type: "eko", id: 2, name: "EKEDC", narration: "Eko Electric", image: "" },
    ]);
    assert.equal((await ask(service.port, path, { credential: false })).status, 401);
  });

  test("a new list can be exported, changed and imported, and the change feed shows it", async () => {
    const file = join(folder, `${list}.csv`);
    await duba("catalogue", "export", "--list", list, "--out", file);
    const text = readFileSync(file, "utf8");
    assert.match(text, /^\uFEFF?type,id,name,narration,image\r?\n/);
    writeFileSync(file, text.replace("EKEDC", "Eko"));
    const { next } = (await ask(service.port, feed, { credential })).json;
    await duba("catalogue", "import", file);
    await noticed(
      () => namesAt(service.port),
      (names) => names?.[1] === "Eko",
    );
    const { data } = (await ask(service.port, `${feed}?after=${next}`, { credential })).json;
    assert.deepEqual([data.length, data[0].list, data[0].old.name, data[0].new.name], [1, list, "EKEDC", "Eko"]);
  });

  test("a Duba that follows this one copies a new list", async () => {
    const other = await engines[0]!.ready();
    const follower = await serve({
      DUBA_DATA: other.settings.dataDirectory,
      DUBA_CATALOGUE_SOURCE: "peer",
      DUBA_PEER_URL: `http://127.0.0.1:${service.port}`,
      DUBA_PEER_EMAIL: "sandbox@example.com",
      DUBA_PEER_KEY: sandboxKey,
    });
    try {
      await noticed(
        () => namesAt(follower.port),
        (names) => names?.[1] === "Eko",
      );
    } finally {
      await follower.end("SIGKILL");
      await other.dispose();
    }
  });

  test("a new list stays empty in an older store, with a note on how to fill it", async () => {
    const place = await engines[0]!.ready();
    const { dataDirectory } = place.settings;
    const settings = { DUBA_DATA: dataDirectory, DUBA_BOOTSTRAP_KEY: sandboxKey };
    await (await serveInProcess(settings)).end("SIGTERM");
    const served = await serve(settings);
    try {
      assert.deepEqual(await namesAt(served.port), []);
      const { out, err } = await ran(["doctor"], { environment: settings });
      assert.match(`${out}${err}`, /the list electricity-companies never had an entry/);
    } finally {
      await served.end("SIGKILL");
      await place.dispose();
    }
  });

  test("reference and clients know a new list", async () => {
    const { paths, components } = (await ask(service.port, "/openapi.json")).json;
    assert.ok(paths[path] && components.schemas.ElectricityCompany);
    const [{ clientSource }, { everyOperation }] = await Promise.all([
      copy.load<typeof import("./support/client-source.ts")>("test/support/client-source.ts"),
      copy.load<typeof import("../src/wire/every-operation.ts")>("src/wire/every-operation.ts"),
    ]);
    assert.match(clientSource(everyOperation), /fetchElectricityCompanies\(/);
  });

  test("types and tests compile without a change to any other file", () => {
    assert.equal(copy.wrongTypes(), "");
  });
});
