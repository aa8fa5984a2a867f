import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { ran } from "./support/command-line.ts";
import { type Engine, type Fresh, usualEngines } from "./support/engines.ts";
import { startService, type TestService } from "./support/service.ts";

const strict = { DUBA_FOUR_EYES: "on" };
const loose = { DUBA_FOUR_EYES: "off", DUBA_GUARD_PRICE_FACTOR: "9", DUBA_GUARD_PRICE_MEAN: "100%" };
/** Four and a half times the price of the starter catalogue. */
const far = ["catalogue", "edit", "MTNDATA 104", "--price", "450"];

for (const engine of usualEngines)
  suite(`four eyes and the guard on ${engine.name}`, () => {
    const folder = mkdtempSync(join(tmpdir(), "duba-protection-"));
    const ring = { DUBA_KEYRING: join(folder, "ring") };
    let fresh: Fresh;
    let service: TestService | undefined;
    /** A service on the store of this suite. */
    const start = (settings: Record<string, string>) => {
      const again: Engine = { ...engine, ready: async () => ({ ...fresh, dispose: async () => {} }) };
      return startService({ ...ring, ...settings }, again);
    };
    const duba = (argv: string[], settings: Record<string, string> = {}) => {
      const { dataDirectory, databaseUrl } = fresh.settings;
      const environment = { ...ring, DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl, ...settings };
      return ran(argv, { environment });
    };
    const read = async (...argv: string[]) => JSON.parse((await duba([...argv, "--json"])).out);
    const entriesOf = async (kind: string) => (await read("audit", "tail", "--kind", kind)).entries;
    const held = async (settings: Record<string, string>) => {
      const { out, err } = await duba(far, settings);
      const [, draft] = /waits for approval as (d\d+)/.exec(err) ?? [];
      assert.ok(draft, out + err);
      return draft;
    };

    before(async () => {
      fresh = await engine.ready();
      service = await start(strict);
    });
    after(async () => {
      await service?.close();
      await fresh.dispose();
      rmSync(folder, { recursive: true });
    });

    test("commands obey the running service's protection settings, and audit entries name that service", async () => {
      const draft = await held(loose);
      const [entry] = await entriesOf("catalogue.held");
      const says = /^four eyes on, removal 30%, price factor 2, price mean 20%, of the service [\w-]{8}$/;
      assert.match(entry.facts.protection, says);
      const { exitCode, out, err } = await duba(["catalogue", "approve", draft], loose);
      assert.deepEqual([exitCode, out], [1, ""]);
      assert.match(err, /DUBA_FOUR_EYES is on, so a person must approve it in the console/);
      assert.match(err, /^It goes by four eyes on, .*, of the service [\w-]{8}, and not by the settings of this shell/);
      assert.doesNotMatch((await duba(["catalogue", "history"], loose)).err, /It goes by/);
      assert.doesNotMatch((await duba(["catalogue", "approve", draft], strict)).err, /It goes by/);
      await duba(["catalogue", "reject", draft]);
    });

    test("while no service runs, commands obey the protection settings of the last service", async () => {
      await service!.close();
      service = undefined;
      const draft = await held(loose);
      const [entry] = (await entriesOf("catalogue.held")).toReversed();
      assert.match(entry.facts.protection, /, of the service [\w-]{8}$/);
      assert.match((await duba(["catalogue", "approve", draft], loose)).err, /DUBA_FOUR_EYES is on/);
      await duba(["catalogue", "reject", draft]);
    });

    test("a start with weaker protection is audited and raises an alarm that outlives a restart", async () => {
      assert.deepEqual(await entriesOf("protection.loosened"), []);
      for (const _ of [1, 2]) {
        service = await start(loose);
        const [{ actor, facts }, ...others] = await entriesOf("protection.loosened");
        assert.deepEqual([actor, others], ["system", []]);
        assert.equal(facts.before, "four eyes on, removal 30%, price factor 2, price mean 20%");
        assert.equal(facts.after, "four eyes off, removal 30%, price factor 9, price mean 100%");
        const { alarms } = await read("status");
        const alarm = alarms.find(({ alarm }: { alarm: string }) => alarm === "protection");
        assert.match(alarm.what, /four eyes on.* to four eyes off/);
        assert.equal((await duba(["status"])).exitCode, 1);
        await service.close();
      }
      service = await start(loose);
      const { out } = await duba(far, strict);
      assert.match(out, /Revision \d+ is published/);
      await duba(["catalogue", "edit", "MTNDATA 104", "--price", "100"], strict);
    });

    test("the alarm about weaker protection ends when a service starts with the former protection", async () => {
      await service!.close();
      service = await start(strict);
      assert.deepEqual(
        (await read("status")).alarms.filter(({ alarm }: { alarm: string }) => alarm === "protection"),
        [],
      );
      assert.equal((await entriesOf("protection.loosened")).length, 1);
    });

    if (engine.name === "postgres")
      test("of several running services, the strictest protection applies", async () => {
        const second = await start(loose);
        try {
          const draft = await held({});
          assert.match((await duba(["catalogue", "approve", draft])).err, /DUBA_FOUR_EYES is on/);
          await service!.close();
          service = undefined;
          assert.match((await duba(["catalogue", "approve", draft])).out, /Revision \d+ is published/);
        } finally {
          await second.close();
        }
      });

    test("protection settings are not part of a backup: the next service states its own", async () => {
      const file = join(folder, "backup.jsonl");
      assert.equal((await duba(["backup", file])).exitCode, 0);
      const other = await engine.ready();
      try {
        const { dataDirectory, databaseUrl } = other.settings;
        const place = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl ?? "" };
        const restored = await duba(["restore", file], place);
        assert.equal(restored.exitCode, 0, restored.err);
        assert.match(
          (await duba([...far.slice(0, -1), "460"], { ...place, ...loose })).out,
          /Revision \d+ is published/,
        );
      } finally {
        await other.dispose();
      }
    });
  });
