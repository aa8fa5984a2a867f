import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { after, before, suite, test } from "node:test";
import { ReadyForm } from "../declare/answers/ready-response.ts";
import { keepAliveSeconds, sendWhole } from "./whole-response.ts";

const text = JSON.stringify({ name: "₦ é 1GB", padding: "x".repeat(500) });
const formOf = (text: string) => {
  const body = Buffer.from(text);
  return new ReadyForm(body, ["Content-Type", "application/json", "Content-Length", String(body.length)]);
};
const small = formOf(text);
const large = formOf(text.repeat(200));
const own = ["X-Request-Id", "one"];

function sendUsually(response: ServerResponse, { headers, body }: ReadyForm): void {
  response.writeHead(200, [...headers, ...own]).end(body);
}

suite("sendWhole", { concurrency: true }, () => {
  let server: Server;
  before(async () => {
    server = createServer(
      { keepAliveTimeout: keepAliveSeconds * 1000, optimizeEmptyRequests: true },
      (request, response) => {
        const form = request.url === "/large" ? large : small;
        if (request.url === "/usual" || !sendWhole(response, form, own)) sendUsually(response, form);
      },
    );
    await once(server.listen(0, "127.0.0.1"), "listening");
  });
  after(() => server.close());

  /** Sends these requests together. Returns all bytes of the responses, without their dates. */
  async function answersTo(...heads: string[]): Promise<string> {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write(heads.map((head) => `${head}\r\nHost: x\r\n\r\n`).join(""));
    let got = "";
    for await (const bytes of socket.setEncoding("latin1")) got += bytes;
    return got.replaceAll(/Date: [^\r]+ GMT/g, "Date:");
  }
  const last = "GET /usual HTTP/1.1\r\nConnection: close";

  test("sendWhole sends the bytes that writeHead would send", async () => {
    const usual = await answersTo("GET /usual HTTP/1.1", last);
    assert.match(usual, /^HTTP\/1.1 200 OK\r\n(?:.+\r\n)+X-Request-Id: one\r\nDate:\r\nConnection: keep-alive\r\n/);
    assert.equal(await answersTo("GET /small HTTP/1.1", last), usual);
    assert.equal(
      await answersTo("GET /small HTTP/1.0\r\nConnection: keep-alive", last),
      await answersTo("GET /usual HTTP/1.0\r\nConnection: keep-alive", last),
    );
  });

  test("sendWhole sends the current date", async () => {
    const { port } = server.address() as AddressInfo;
    const before = Date.now();
    const answer = await fetch(`http://127.0.0.1:${port}/small`);
    const date = Date.parse(answer.headers.get("date")!);
    // The date is a whole second, and may have been written a second ago.
    assert.ok(date >= before - 2000 && date <= Date.now(), new Date(date).toISOString());
    assert.equal(await answer.text(), text);
  });

  test("sendWhole sends no body to HEAD, closes on request, and keeps the order of requests", async () => {
    assert.equal(await answersTo("HEAD /small HTTP/1.1", last), await answersTo("HEAD /usual HTTP/1.1", last));
    const close = "HTTP/1.1\r\nConnection: close";
    assert.equal(await answersTo(`GET /small ${close}`), await answersTo(`GET /usual ${close}`));
    const three = await answersTo("GET /large HTTP/1.1", "GET /small HTTP/1.1", last);
    const lengths = [...three.matchAll(/Content-Length: (\d+)/g)].map(([, length]) => Number(length));
    assert.deepEqual(lengths, [large.body.length, small.body.length, small.body.length]);
  });
});
