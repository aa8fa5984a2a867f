import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { after, before, suite, test } from "node:test";
import { Line } from "../../../test/support/raw.ts";
import { until } from "../../../test/support/until.ts";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import { type HttpServer, openServer } from "./open-server.ts";

suite("a connection on which no whole request comes in time", { timeout: 30_000 }, () => {
  let server: HttpServer;
  let port: number;
  before(async () => {
    const bounds = { arrival: 100, body: 0, connections: { most: 100, answer: 10_000 } };
    server = openServer(bounds, new RecordedLog(), (_, response) => response.end());
    port = await server.listen({ host: "127.0.0.1", port: 0 });
  });
  after(() => server.end());

  test("a silent connection is closed without a response, which a browser might misread", async () => {
    const line = new Line(port);
    await line.closed;
    assert.deepEqual(line.answers, []);
  });

  test("a connection with half a request gets a response", async () => {
    const line = new Line(port);
    line.say("GET /a HT");
    await line.closed;
    assert.deepEqual(
      line.answers.map(({ status }) => status),
      [408],
    );
  });
});

suite("a connection that its caller ends", () => {
  let server: HttpServer;
  let port: number;
  /** The responses to `/slow`, which the test itself ends. */
  const slow: ServerResponse[] = [];
  const served: string[] = [];
  before(async () => {
    const bounds = { arrival: 10_000, connections: { most: 100, answer: 10_000 } };
    server = openServer(bounds, new RecordedLog(), (request, response) => {
      served.push(request.url!);
      if (request.url === "/slow") slow.push(response);
      else response.end(request.url);
    });
    port = await server.listen({ host: "127.0.0.1", port: 0 });
  });
  after(() => server.end());

  const get = (path: string, headers = "") => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
  const upgrade = "Connection: Upgrade\r\nUpgrade: h2c\r\n";
  const slowly = async (bytes: string) => {
    const line = new Line(port);
    line.say(bytes);
    await until(() => slow.length === 1);
    return { line, response: slow.pop()! };
  };

  test("a caller that closes its sending side gets all responses before the connection closes", {
    timeout: 20_000,
  }, async () => {
    for (const asked of ["/slow", "/slow /b /c"]) {
      const paths = asked.split(" ");
      const { line, response } = await slowly(paths.map((path) => get(path)).join(""));
      const ended = line.finish();
      await until(() => response.socket!.readableEnded);
      response.end("/slow");
      assert.deepEqual(
        (await ended).map(({ text }) => text),
        paths,
      );
    }
  });

  test("a caller that closes its sending side without a request is disconnected at once", {
    timeout: 20_000,
  }, async () => {
    const [silent, answered] = [new Line(port), new Line(port)];
    answered.say(get("/a"));
    await answered.heard(1);
    assert.deepEqual(await silent.finish(), []);
    assert.equal((await answered.finish()).length, 1);
  });

  test("a reset by the caller ends the response under way", { timeout: 20_000 }, async () => {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    socket.write(get("/slow"));
    await until(() => slow.length === 1);
    const response = slow.pop()!;
    response.write("the beginning");
    await once(socket, "data");
    const closed = once(response, "close");
    socket.resetAndDestroy();
    await closed;
    assert.equal(response.writableFinished, false);
  });

  for (const [name, more] of [
    ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["garbage", "nonsense\r\n\r\n"],
    ["half a request", "GET /a HT"],
  ] as const)
    test(`a caller that then sends ${name} gets only the responses to its earlier requests`, {
      timeout: 20_000,
    }, async () => {
      const { line, response } = await slowly(get("/slow") + get("/b") + more);
      const ended = line.finish();
      await until(() => response.socket!.readableEnded);
      response.end("/slow");
      assert.deepEqual(
        (await ended).map(({ text }) => text),
        ["/slow", "/b"],
      );
    });

  test("an Upgrade gets one response, and no later request on the connection is served", {
    timeout: 20_000,
  }, async () => {
    served.length = 0;
    const { line, response } = await slowly(get("/slow", upgrade) + get("/lost"));
    line.say(get("/late"));
    line.say(get("/later"));
    const said = get("/slow", upgrade) + get("/lost") + get("/late") + get("/later");
    await until(() => response.socket!.bytesRead === said.length);
    response.end("/slow");
    await line.closed;
    assert.deepEqual(
      line.answers.map(({ text, headers }) => [text, headers.connection]),
      [["/slow", "close"]],
    );
    assert.deepEqual(served, ["/slow"]);
  });
});
