import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { unreachableSentence } from "../../src/runtime/network/unreachable.ts";
import { ran, type TestEnvironment } from "../../test/support/command-line.ts";
import { sandboxKey, startService, type TestService } from "../../test/support/service.ts";
import { Server } from "../src/ask-server.ts";
import { changedJson, items } from "./breaks.fixture.ts";

const environment = { DUBA_API_KEY: sandboxKey };

/** Starts a server for one piece of work. */
async function withServer(listener: RequestListener, work: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

suite("duba check", () => {
  let service: TestService;
  let folder: string;
  const check = (argv: readonly string[], context: TestEnvironment = { environment }) =>
    ran(["check", ...argv], context);
  const points = async (argv: readonly string[], context?: TestEnvironment) => {
    const { out, err } = await check([...argv, "--json"], context);
    assert.equal(err, "");
    const { points } = JSON.parse(out) as { points: { id: string; outcome: string; why: string[] }[] };
    return Map.groupBy(points, ({ outcome }) => outcome);
  };

  before(async () => {
    const fixed = { limitFailedCredentials: { count: 1000, seconds: 60 } };
    service = await startService({ DUBA_LIMITS: "off", DUBA_PATH_PREFIXES: "/api/v2,/api" }, undefined, { fixed });
    folder = mkdtempSync(join(tmpdir(), "duba-check-"));
  });
  after(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  test("the check of a good server reports that all points hold, the time, and exit code 0", async () => {
    const { exitCode, out, err } = await check([service.url]);
    assert.deepEqual([exitCode, err], [0, ""]);
    assert.match(out, /^The documented interface\n\n {2}ok +lookupDataBundles\.answers +GET \/api\/v2\//);
    assert.match(out, /\n\nAll \d\d points hold \(\d+(\.\d)? s\)\.\n$/);
    assert.doesNotMatch(out, /WRONG|left out/);
  });

  test("the check tests Duba's own points only with --duba, and chosen points with --only", async () => {
    const all = await points([service.url, "--duba", "--only", "headers.", "--only", "verifyBvn.replay"]);
    const ids = all.get("holds")!.map(({ id }) => id);
    assert.ok(ids.includes("verifyBvn.replay") && ids.includes("headers.etag"));
    assert.ok(ids.every((id) => id === "verifyBvn.replay" || id.startsWith("headers.")));
    const { exitCode, err } = await check([service.url, "--only", "verifyBvn.replay"]);
    assert.equal(exitCode, 2);
    assert.match(err, /^No point has an id .* Points begin with lookupDataBundles, .*verifyBvn\.\n$/);
  });

  test("without a key the check skips points that need one, and --live-safe makes no verification", async () => {
    const keyless = (await points([service.url], {})).get("left_out")!;
    assert.ok(keyless.some(({ id }) => id === "listCorporateBundles.answers"));
    assert.ok(!keyless.some(({ id }) => id.startsWith("lookupDataBundles.")));
    const { db } = await service.store();
    const count = async () => (await db.selectFrom("verification").select("reference").execute()).length;
    const known = await count();
    const { text: key } = await service.newKey({ mode: "live" });
    const safe = await points([service.url, "--live-safe", "--duba"], { environment: { DUBA_API_KEY: key } });
    assert.equal(await count(), known);
    assert.deepEqual(safe.get("broken"), undefined);
    for (const { id, why } of safe.get("left_out")!) assert.match(`${id} ${why}`, /^(verifyBvn|accounts)\..*verifies/);
    assert.ok(safe.get("holds")!.some(({ id }) => id === "verifyBvn.malformed-json"));
  });

  test("the check uses a key of another account to test that accounts cannot see each other", async () => {
    const { text: other } = await service.newKey({ account: await service.newAccount("Other") });
    const only = ["--duba", "--only", "accounts", "--only", "verifyBvn.unrepeated"];
    const without = await points([service.url, ...only]);
    assert.match(
      without
        .get("left_out")!
        .map(({ why }) => why)
        .join(),
      /the API key of another account: --other-key\./,
    );
    const held = await points([service.url, ...only, "--other-key", other]);
    assert.deepEqual([held.get("left_out"), held.get("broken")], [undefined, undefined]);
    // Two keys of one account play a server that does not separate accounts.
    const { text: own } = await service.newKey();
    const { exitCode, out } = await check([service.url, ...only, "--other-key", own]);
    assert.equal(exitCode, 1);
    assert.match(
      out,
      /WRONG +accounts\.reference .*\n +The other account learns of it, unless both keys are of one account\./,
    );
    for (const key of [own, sandboxKey]) assert.ok(!out.includes(key));
    // A key that cannot belong to another account proves nothing about the server.
    const wrong = await check([service.url, ...only, "--other-key", "duba_test_nobody-has-this"]);
    assert.deepEqual([wrong.exitCode, wrong.out], [1, ""]);
    assert.match(wrong.err, / refuses the API key of --other-key with HTTP 401: .* Send another one\.\n$/);
    const { text: live } = await service.newKey({ mode: "live", account: await service.newAccount("Live") });
    for (const [first, second] of [
      [own, own],
      [own, live],
      [sandboxKey, sandboxKey],
    ] as const) {
      const refused = await check([service.url, ...only, "--key", first, "--other-key", second]);
      assert.deepEqual(refused.exitCode, 2);
      assert.match(
        refused.err,
        /^--other-key must be a key of another account, of the same mode as the first key\.\n$/,
      );
    }
  });

  test("the check reports a refused key in one sentence", async () => {
    const { exitCode, out, err } = await check([service.url, "--duba"], { environment: { DUBA_API_KEY: "wrong" } });
    assert.deepEqual([exitCode, out], [1, ""]);
    assert.match(
      err,
      /^http:\/\/127\.0\.0\.1:\d+ refuses the API key with HTTP 401: The Authorization header .* Send another one\.\n$/,
    );
  });

  test("the check refuses a live key that could cost money before it sends a request", async () => {
    const { exitCode, err } = await check([service.url, "--key", "duba_live_abc"]);
    assert.equal(exitCode, 2);
    assert.match(err, /^This is a live key, .* Add --live-safe .*, or --person /);
  });

  test("the check reads key, BVN and phone from standard input, and shows none of them", async () => {
    const [bvn, phone] = ["22000000055", "08000000055"];
    const report = join(folder, "person.xml");
    // The server returns another person's number.
    const problem = changedJson("verify", ({ data }) => {
      data.bvn_number = "22000000056";
    });
    await withServer(breaking(problem), async (url) => {
      const options = ["--key-on-stdin", "--person", "--junit", report];
      const stdin = `${sandboxKey}\n${bvn}\n${phone}\n`;
      const { exitCode, out, err } = await check([url, ...options], { stdin });
      assert.equal(exitCode, 1);
      assert.match(err, /^1 of \d\d points does not hold \(/);
      assert.match(out, /WRONG +verifyBvn\.number .*\n +`bvn_number` is another number\./);
      assert.match(out, /> POST .*\/verify-bvn\n(?: +> .*\n)*? +> Authorization: Bearer …\n/);
      assert.match(out, /"date_of_birth":"99-a-9999"/);
      const texts = [out, err, readFileSync(report, "utf8")];
      for (const secret of [sandboxKey, bvn, phone, "8000000055", "22000000056"])
        for (const text of texts) assert.ok(!text.includes(secret), secret);
      const { data } = (
        await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", body: { bvn, phone, amount: "100" } })
      ).json;
      for (const name of [data.personal_info.last_name, data.residential_info.residential_address])
        for (const text of texts) assert.ok(!text.includes(name));
    });
  });

  test("each broken point is shown with request and response, as text, JUnit and JSON", async () => {
    const report = join(folder, "check.xml");
    const problem = items("bundles", (bundle) => {
      bundle.price = Number(bundle.price);
    });
    await withServer(breaking(problem), async (url) => {
      const { exitCode, out, err } = await check([url, "--junit", report]);
      assert.deepEqual([exitCode, err.split(" (")[0]], [1, "1 of 50 points does not hold"]);
      assert.match(
        out,
        /WRONG +lookupDataBundles\.members .*\n +data\.data\[\*\]\.price is a number, not a string\.\n\n +> GET /,
      );
      assert.match(out, /\n +> GET .*\n(?: +> .*\n)+ +< HTTP 200\n(?: +<.*\n)+/);
      const xml = readFileSync(report, "utf8");
      assert.match(
        xml,
        /<testsuites name="duba check 127\.0\.0\.1:\d+" tests="50" failures="1" skipped="0" time="[\d.]+">/,
      );
      assert.equal(xml.match(/<testcase /g)!.length, 50);
      assert.match(
        xml,
        /name="lookupDataBundles\.members: [^"]*" time="[\d.]+"><failure message="data\.data\[\*\]\.price is a number/,
      );
      const broken = (await points([url])).get("broken")!;
      assert.deepEqual(
        broken.map(({ id }) => id),
        ["lookupDataBundles.members"],
      );
    });
    const { exitCode, err } = await check([
      service.url,
      "--only",
      "lookupDataBundles.answers",
      "--junit",
      "/nowhere/x.xml",
    ]);
    assert.deepEqual([exitCode, err], [1, "Duba cannot write the file /nowhere/x.xml (ENOENT).\n"]);
  });

  test("a failed exchange of credentials shows neither the key nor the token", async () => {
    const tokens: string[] = [];
    const problem = changedJson("/api/v2/merchant/authorization", ({ data: { token } }) => {
      tokens.push(token.access_token);
      token.expires_at = token.expires_at.replace(" ", "T");
    });
    await withServer(breaking(problem), async (url) => {
      const { exitCode, out } = await check([url, "--duba", "--only", "authorizeMerchant"]);
      assert.equal(exitCode, 1);
      assert.match(out, /WRONG +authorizeMerchant\.token .*\n +data\.token\.expires_at is not of the form /);
      assert.match(out, /> Authorization: Basic …\n/);
      const basic = btoa(`sandbox@example.com:${sandboxKey}`);
      for (const secret of [sandboxKey, basic, tokens[0]!, tokens[0]!.slice(8)]) assert.ok(!out.includes(secret));
    });
  });

  test("the base URL may end with the path prefix", async () => {
    const held = await points([`${service.url}/api/v2/`, "--only", "lookupDataBundles"]);
    assert.equal(held.get("broken"), undefined);
    const others = await points([`${service.url}/api`, "--only", "lookupDataBundles"]);
    assert.equal(others.get("broken"), undefined);
  });

  test("a rate limit of the server breaks no point, because the check waits and asks again", async () => {
    let asked = 0;
    const limited: RequestListener = (request, response) => {
      asked += 1;
      if (asked !== 2) return breaking(() => undefined)(request, response);
      response.writeHead(429, { "Retry-After": "0" }).end("{}");
    };
    await withServer(limited, async (url) => {
      assert.equal((await points([url, "--only", "lookupDataBundles"])).get("broken"), undefined);
    });
  });

  test("the check reports a page in place of an answer, and an unreachable server, in one sentence", async () => {
    await withServer(
      (_, response) => void response.writeHead(404, { "Content-Type": "text/html" }).end("<p>"),
      async (url) => {
        const { exitCode, out, err } = await check([url]);
        assert.deepEqual([exitCode, out], [1, ""]);
        assert.match(
          err,
          /does not answer as this interface does: none of 4 requests got JSON\..* before \/api\/v2\.\n/,
        );
        assert.match(err, /\n {2}GET \/api\/v2\/corporate-data\/list: HTTP 404, text\/html\n/);
      },
    );
    await withServer(
      () => {},
      async (url) => {
        const { exitCode, err } = await check([url, "--timeout", "50ms"]);
        assert.deepEqual([exitCode, err], [1, `${url} did not answer within 0.05 s.\n`]);
      },
    );
    await withServer(
      (request) => request.socket.destroy(),
      async (url) => {
        assert.equal((await check([url])).err, `${url} closed the connection without a response.\n`);
        assert.match((await check([url.replace("http:", "https:")])).err, /does not speak TLS|closed the connection/);
      },
    );
    for (const [code, sentence] of [
      ["ENOTFOUND", /^The host of https:\/\/a\.example does not exist\.$/],
      ["CERT_HAS_EXPIRED", /^The TLS certificate of https:\/\/a\.example has expired\.$/],
      ["DEPTH_ZERO_SELF_SIGNED_CERT", /NODE_EXTRA_CA_CERTS\.$/],
      ["ESTRANGE", /^Duba cannot reach https:\/\/a\.example \(ESTRANGE\)\.$/],
    ] as const)
      assert.match(unreachableSentence("https://a.example", code), sentence);
  });

  test("the check skips the remaining points when the server stops answering", async () => {
    let asked = 0;
    const dying: RequestListener = (request, response) => {
      asked += 1;
      if (asked <= 4) breaking(() => undefined)(request, response);
      else request.socket.destroy();
    };
    await withServer(dying, async (url) => {
      const outcomes = await points([url]);
      const why = outcomes.get("left_out")!.at(-1)!.why;
      assert.deepEqual(why, ["The server did not answer 3 times in a row."]);
      assert.ok(
        outcomes.get("broken")!.every(({ why }) => why[0] === "The connection ended before the whole answer had come."),
      );
    });
  });

  /** Passes requests on to the service, and breaks its responses. */
  function breaking(by: ReturnType<typeof changedJson>): RequestListener {
    const server = new Server(new URL(service.url), 10_000, new Agent({ keepAlive: true }));
    return async (request, response) => {
      const { method = "", url = "", rawHeaders } = request;
      const headers: Record<string, string> = {};
      for (let at = 0; at < rawHeaders.length; at += 2) headers[rawHeaders[at]!] = rawHeaders[at + 1]!;
      const body = (await request.toArray()).join("");
      const { Host: _, Connection: __, ...passed } = headers;
      const asked = { method, path: url, headers: passed, body: body === "" ? undefined : body };
      const answered = await server.ask(asked);
      const { status, text, headers: own } = { ...answered, ...by(asked, answered) };
      const { "content-length": _length, "transfer-encoding": _coding, connection: _connection, ...kept } = own;
      response.writeHead(status, kept).end(text);
    };
  }
});
