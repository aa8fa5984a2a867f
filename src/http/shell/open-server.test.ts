import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, get, type IncomingMessage, type ServerResponse } from "node:http";
import { suite, test } from "node:test";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import { openServer } from "./open-server.ts";

suite("a server that closes", () => {
  test("a closing server finishes requests in flight, and does not wait for kept connections", {
    timeout: 30_000,
  }, async (t) => {
    const asked = Promise.withResolvers<ServerResponse>();
    const bounds = { arrival: 10_000, connections: { most: 10, answer: 10_000 } };
    const server = openServer(bounds, new RecordedLog(), (request, response) => {
      if (request.url === "/slow") asked.resolve(response);
      else response.end("quick");
    });
    const port = await server.listen({ host: "127.0.0.1", port: 0 });
    const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })];
    t.after(() => {
      for (const agent of agents) agent.destroy();
    });
    const [quick, slow] = ["/quick", "/slow"].map((path, at) =>
      once(get({ host: "127.0.0.1", port, path, agent: agents[at]! }), "response"),
    );
    const [answer] = (await quick) as [IncomingMessage];
    assert.equal(await answer.setEncoding("utf8").reduce((text, part) => text + part, ""), "quick");
    const response = await asked.promise;
    const closed = server.close();
    response.end("slow");
    const [late] = (await slow) as [IncomingMessage];
    assert.equal(await late.setEncoding("utf8").reduce((text, part) => text + part, ""), "slow");
    await closed;
  });
});
