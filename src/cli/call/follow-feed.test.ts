import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ran } from "../../../test/support/command-line.ts";
import { suiteService } from "../../../test/support/service.ts";
import { until } from "../../../test/support/until.ts";
import { run } from "../program.ts";
import { restOf } from "./follow-feed.ts";

suite("duba call listRequests --follow", () => {
  const service = suiteService({ DUBA_LIMITS: "off" });

  test("prints each request once, as it comes, until the key ends; and says from where to go on", async () => {
    const { text: key, id } = await service.newKey({ account: await service.newAccount("Followed") });
    const ask = (name: string) => {
      const headers = { "X-Request-Id": name };
      return service.ask(`/api/v2/internet/data/lookup?provider=${name}`, { credential: key, headers });
    };
    await ask("BEFORE");
    const [out, err]: string[][] = [[], []];
    const io = {
      out: (text: string) => void out!.push(text),
      err: (text: string) => void err!.push(text),
      environment: { DUBA_URL: service.url, DUBA_API_KEY: key },
      stdin: (async function* () {})(),
    };
    const following = run(["call", "listRequests", "--follow"], io);
    for (const name of ["FIRST", "SECOND"]) {
      await ask(name);
      await until(() => out!.join("").includes(name));
    }
    const { dataDirectory } = service.settings;
    const revoked = await ran(["keys", "revoke", id, "--yes"], { environment: { DUBA_DATA: dataDirectory } });
    assert.equal(revoked.exitCode, 0, revoked.err);
    assert.equal(await following, 1);
    const [head, ...lines] = out!.join("").trimEnd().split("\n");
    assert.match(
      head!,
      /^request_id +operation +path +status +code +wrong +duration +request_reference +answered_at +hint$/,
    );
    assert.deepEqual(
      lines.map((line) => line.split(" ")[0]),
      ["BEFORE", "FIRST", "SECOND"],
    );
    assert.match(
      lines[0]!,
      / lookupDataBundles +\/api\/v2\/internet\/data\/lookup +404 +provider_not_found .* Use one of the codes/,
    );
    assert.match(err!.join(""), /^To go on from here: duba call listRequests after=\d+-\S* --follow$/m);
    assert.match(err!.join(""), /invalid_credentials/);
  });
});

test("the next call waits as long as the service asks, and shares out what a limit leaves", () => {
  const after = (status: number, headers: Record<string, string>) => restOf({ status, headers });
  assert.equal(after(200, {}), 2);
  assert.equal(after(200, { ratelimit: '"catalogue";r=100;t=60' }), 2);
  assert.equal(after(200, { ratelimit: '"catalogue";r=3;t=60' }), 15);
  assert.equal(after(200, { ratelimit: '"catalogue";r=0;t=60' }), 60);
  assert.equal(after(429, { "retry-after": "7" }), 7);
  assert.equal(restOf(undefined), 10);
});
