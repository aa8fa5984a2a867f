import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { makeStore, ran, suiteTerminal } from "../../../test/support/command-line.ts";
import { usualEngines } from "../../../test/support/engines.ts";
import { LocalVendor } from "../../vendors/local-vendor.fixture.ts";

for (const engine of usualEngines)
  suite(`a vendor without NINs on ${engine.name}`, () => {
    const terminal = suiteTerminal(engine);

    test("a vendor without NINs is never called with one: its digits may be another person's BVN", async () => {
      const { dataDirectory, databaseUrl } = terminal.settings;
      await makeStore(terminal.settings);
      const local = await LocalVendor.start();
      try {
        const { exitCode, err, out } = await ran(["upstreams", "test", "blusalt", "--ask", "--kind", "nin"], {
          environment: {
            DUBA_DATA: dataDirectory,
            DUBA_DATABASE_URL: databaseUrl,
            DUBA_BLUSALT_URL: local.url,
            DUBA_BLUSALT_CLIENT_ID: "client",
            DUBA_BLUSALT_APP_NAME: "app",
            DUBA_BLUSALT_KEY: "key",
          },
          stdin: "00123456789\n08000000017\n",
        });
        assert.equal(exitCode, 2);
        assert.match(err, /blusalt does not verify a NIN\./);
        assert.deepEqual(local.received, []);
        assert.doesNotMatch(out + err, /00123456789|8000000017/);
      } finally {
        await local.close();
      }
    });
  });
