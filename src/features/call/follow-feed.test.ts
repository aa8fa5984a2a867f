import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite, test } from "node:test";
import { ran } from "../../../test/support/command-line.ts";
import { suiteService } from "../../../test/support/service.ts";
import { until } from "../../../test/support/until.ts";
import { run } from "../../cli/program.ts";
import { restOf } from "./follow-feed.ts";

suite("duba call listRequests --follow", () => {
  const service = suiteService({ DUBA_LIMITS: "off" });

  test("duba call --follow prints each request once until the key ends, and says from where to go on", async () => {
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

test("no command line to copy is printed if the server's cursor could contain a command", async (t) => {
  const event = { id: "evt_1", type: "key.revoked", timestamp: "2026-11-01T09:30:00.000Z", data: null };
  const answers = [
    { success: true, data: [event], next: "$(touch here)\u001b[2J", more: true },
    { success: false, message: "Enough.", error: { code: "enough", retryable: false } },
  ];
  const server = createServer(({ url }, response) => {
    if (url === "/hook") return response.writeHead(204).end();
    const answer = answers.shift()!;
    return response.writeHead(answer.success ? 200 : 403).end(JSON.stringify(answer));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const environment = { DUBA_URL: url, DUBA_API_KEY: "a-key" };
  const { out, err } = await ran(["listen", "--forward-to", `${url}/hook`], { environment });
  assert.match(out, /evt_1 .* 204 /);
  assert.match(err, /Enough\./);
  assert.doesNotMatch(err, /To go on|touch/);
});

test("duba call --follow ends with a sentence if the answer is not a page of entries", async (t) => {
  const event = { id: "evt_1", type: "key.revoked", timestamp: "2026-11-01T09:30:00.000Z", data: null };
  const good = { success: true, data: [event], next: "place", more: false };
  let answers: object[] = [];
  const server = createServer(({ url }, response) => {
    if (url === "/hook") return response.writeHead(204).end();
    return response.end(JSON.stringify(answers.shift() ?? good));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const environment = { DUBA_URL: url, DUBA_API_KEY: "a-key" };
  const listen = async (...pages: object[]) => {
    answers = pages.map((page) => ({ ...good, ...page }));
    const { exitCode, err } = await ran(["listen", "--forward-to", `${url}/hook`], { environment });
    assert.deepEqual([exitCode, answers], [1, []]);
    assert.match(
      err,
      /^The response \(HTTP 200\) is not a page of entries\. Check that Duba listens at this address\.$/m,
    );
    return err;
  };
  for (const wrong of [
    ...[{ data: { a: event } }, { data: ["evt_1"] }, { data: [null] }],
    ...[{ next: 7 }, { next: undefined }],
  ])
    assert.doesNotMatch(await listen(wrong), /To go on/);
  const moved = { next: "place2", more: true };
  assert.match(await listen(moved, { data: "none" }), /^To go on from here: duba listen --since place2 /m);
  assert.match(await listen(moved, moved), /^To go on from here: duba listen --since place2 /m);
});

test("duba call --follow waits as the service asks, and spreads its calls over the rate limit", () => {
  const after = (status: number, headers: Record<string, string>) => restOf({ status, headers });
  assert.equal(after(200, {}), 2);
  assert.equal(after(200, { ratelimit: '"catalogue";r=100;t=60' }), 2);
  assert.equal(after(200, { ratelimit: '"catalogue";r=3;t=60' }), 15);
  assert.equal(after(200, { ratelimit: '"catalogue";r=0;t=60' }), 60);
  assert.equal(after(429, { "retry-after": "7" }), 7);
  assert.equal(restOf(undefined), 10);
});
