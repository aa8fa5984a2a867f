import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { assertDiscreet, assertFailure } from "./support/failure.ts";
import { type RawResponse, responsesIn } from "./support/raw.ts";
import { suiteService } from "./support/service.ts";
import { leavings, sendAndLeave } from "./support/strangers.ts";

const lookup = "/api/v2/internet/data/lookup";
const verify = "/api/v2/kyc/verify-bvn";
const addOns = "/api/v2/cable-tv/fetch-tv-add-ons";

suite("raw requests", { concurrency: true }, () => {
  const service = suiteService({ DUBA_LIMITS: "off" });
  after(async () => {
    assert.deepEqual(
      service.lines.filter(({ level, fields }) => level === "error" && !("operation" in fields)),
      [],
    );
  });

  /** Sends exactly these bytes and returns the one response before the connection is closed. */
  const sent = async (bytes: string | Buffer): Promise<RawResponse> => {
    const responses = responsesIn(await service.send(bytes));
    assert.equal(responses.length, 1);
    return responses[0]!;
  };

  suite("of the parser", { concurrency: true }, () => {
    const bad: [string, string][] = [
      ["no request line", "\r\n\r\nnonsense\r\n\r\n"],
      ["an unknown method", `FETCH ${lookup} HTTP/1.1\r\nHost: a\r\n\r\n`],
      ["a lower-case method", `get ${lookup} HTTP/1.1\r\nHost: a\r\n\r\n`],
      ["an unknown version", `GET ${lookup} HTTP/3.7\r\nHost: a\r\n\r\n`],
      ["another protocol", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
      ["HTTP/2 without agreement", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
      ["a space in the URL", `GET ${lookup}?provider=a b HTTP/1.1\r\nHost: a\r\n\r\n`],
      ["a header without a colon", `GET ${lookup} HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n`],
      ["a space in a header's name", `GET ${lookup} HTTP/1.1\r\nHost: a\r\nX Y: 1\r\n\r\n`],
      ["a NUL in a header", `GET ${lookup} HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n`],
      ["two lengths", `POST ${verify} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
      ["a length that is no number", `POST ${verify} HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n{}`],
      ["a negative length", `POST ${verify} HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n`],
      [
        "Content-Length together with Transfer-Encoding",
        `POST ${verify} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      ],
      ["an unknown Transfer-Encoding", `POST ${verify} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: cat\r\n\r\n`],
    ];
    for (const [name, bytes] of bad) {
      test(`${name} is answered in the common shape, and the connection is closed`, async () => {
        const response = await sent(bytes);
        assertFailure(response, 400, "malformed_request");
        assertDiscreet(response.text);
        assert.equal(response.headers.connection, "close");
      });
    }

    test("a TLS handshake gets an answer that this port speaks HTTP", async () => {
      const hello = "\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00";
      assertFailure(await sent(hello), 400, "malformed_request", { message: /plain HTTP.*https:/ });
    });

    test("malformed chunks get a common failure, and the connection is closed", async () => {
      for (const chunks of ["zz\r\n{}\r\n0\r\n\r\n", "2\r\n{}garbage", "-1\r\n", "ffffffffffffffffff\r\n"]) {
        const head = `GET ${addOns} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
        const response = await sent(head + chunks);
        assertFailure(response, 400, "malformed_request");
      }
    });

    test("headers above 16 KiB are answered with 431", async () => {
      for (const header of [
        `X-Long: ${"x".repeat(17 * 1024)}`,
        "X-Many: 12345678901234567890\r\n".repeat(900).trim(),
      ]) {
        const response = await sent(`GET ${lookup} HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`);
        assertFailure(response, 431, "headers_too_large");
      }
    });

    test("CONNECT is answered in the common shape", async () => {
      const response = await sent("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n");
      assertFailure(response, 405, "method_not_allowed");
      assert.ok(response.headers.allow);
    });

    test("100-continue is answered with 100, and any other expectation with 417", async () => {
      const head = (expect: string) =>
        `POST ${verify} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: ${expect}\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}`;
      assertFailure(await sent(head("200-ok")), 417, "expectation_failed", { path: verify });
      assertFailure(await sent(head("x").replace(verify, "/nowhere")), 417, "expectation_failed");
      assert.match(await service.send(head("100-continue")), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 401 /);
    });
  });

  suite("of the request line and headers", () => {
    test("a missing Host gets the path's own failure, and HTTP/1.0 needs no Host", async () => {
      const response = await sent(`GET ${lookup} HTTP/1.1\r\nConnection: close\r\n\r\n`);
      assertFailure(response, 400, "malformed_request", { path: lookup, message: /Host/ });
      assert.match(await service.send(`GET ${lookup} HTTP/1.0\r\n\r\n`), /^HTTP\/1\.1 200 OK\r\n/);
    });

    test("a repeated or malformed Host is refused", async () => {
      const wrong = "a b|http://a|a/b|a@b|a:b|a:1:2|[::1|::1|<b>".split("|");
      for (const host of ["a\r\nHost: a", "a\r\nhost: b", "", " ", ...wrong]) {
        const response = await sent(`GET ${lookup} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
        assertFailure(response, 400, "malformed_request", { path: lookup, message: /Host/ });
        assertDiscreet(response.text);
      }
      for (const host of ["a", "A.example:8080", "127.0.0.1", "[::1]:80", "my_service.internal.", "a:"]) {
        const response = await sent(`GET ${lookup} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
        assert.equal(response.status, 200, host);
      }
    });

    test("two credentials in one request are refused, even equal ones", async () => {
      for (const second of ["Bearer x", "Bearer y"]) {
        const headers = `Host: a\r\nConnection: close\r\nAuthorization: Bearer x\r\nauthorization: ${second}\r\n`;
        const response = await sent(`GET ${lookup} HTTP/1.1\r\n${headers}\r\n`);
        assertFailure(response, 400, "malformed_request", { path: lookup, message: /Authorization/ });
      }
    });

    test("chunks in HTTP/1.0 are refused", async () => {
      const response = await sent(`GET ${addOns} HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`);
      assertFailure(response, 400, "malformed_request", { path: addOns, message: /HTTP\/1\.0/ });
      assert.equal(response.headers.connection, "close");
    });

    test("a request target that is not a path, or has a fragment, is refused", async () => {
      for (const target of ["*", "ftp://a/", "http://a:b/", "http://a@b/", `${lookup}#x`, `${lookup}?type=GLODATA#`]) {
        const response = await sent(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
        assertFailure(response, 400, "malformed_request", target.startsWith(lookup) ? { path: lookup } : {});
      }
    });

    test("a request target in absolute form is accepted, and its authority is not repeated", async () => {
      const body = '{"type":"dstv","productCode":"PRWE36"}';
      const head = `Host: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      const response = await sent(`GET http://evil.example${addOns} HTTP/1.1\r\n${head}`);
      assert.equal(response.status, 200);
      assert.equal(response.headers["content-location"], `${addOns}?type=dstv&productCode=PRWE36`);
      for (const [path, status] of [
        ["", 200],
        ["/", 200],
        ["/nowhere", 404],
        [`${lookup}?provider=x`, 404],
        ["?provider=x", 200],
      ] as const) {
        const said = await service.send(
          `GET http://evil.example${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
        );
        assert.match(said, new RegExp(`^HTTP/1\\.1 ${status} `), path);
        assert.doesNotMatch(said, /evil/);
      }
      const failed = await sent(
        `GET http://evil.example${lookup}?provider=x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      );
      assertFailure(failed, 404, "provider_not_found", { path: lookup });
    });

    test("a URL above 8 KiB is refused, and a URL of 8 KiB is read", async () => {
      assertFailure(await service.ask(`/${"x".repeat(9 * 1024)}`), 414, "uri_too_long");
      const most = `${lookup}?provider=`.length;
      const longest = "x".repeat(8 * 1024 - most);
      assertFailure(await service.ask(`${lookup}?provider=${longest}`), 404, "provider_not_found", { path: lookup });
    });
  });

  suite("of every path", () => {
    test("failures of an unknown path are JSON", async () => {
      for (const path of ["/nothing", "/api/v2/", "/apple-touch-icon.png", "/docs/none", "/.env", "/api/v2/kyc"])
        for (const method of ["GET", "POST", "DELETE", "OPTIONS", "PUT"])
          assertFailure(await service.ask(path, { method, credential: false }), 404, "route_not_found");
      assertFailure(await sent("OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"), 404, "route_not_found");
    });

    test("pages name their methods when they refuse another one", async () => {
      for (const path of ["/", "/docs", "/openapi.json", "/healthz"]) {
        const response = await service.ask(path, { method: "POST", credential: false });
        assertFailure(response, 405, "method_not_allowed");
        assert.match(response.headers.allow!, /^GET\b/);
      }
    });
  });

  test("callers who send CONNECT and disconnect in any way do not stop the service", async () => {
    const bytes = Buffer.from(`CONNECT a:1 HTTP/1.1\r\n\r\nGET ${lookup} HTTP/1.1\r\nHost: a\r\n\r\n`);
    const ways = Array.from({ length: 20 }, () => leavings).flat();
    await Promise.all(ways.map((leaving) => sendAndLeave(service.port, bytes, leaving)));
    assert.equal((await service.ask("/healthz")).status, 200);
  });
});
