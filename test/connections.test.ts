import assert from "node:assert/strict";
import { connect } from "node:net";
import { suite, test } from "node:test";
import { Line } from "./support/raw.ts";
import { sandboxKey, startService } from "./support/service.ts";
import { until } from "./support/until.ts";

/** The response has three megabytes, so that a few responses fill the kernel's buffers on both sides. */
const large = "GET /docs/scalar.js HTTP/1.1\r\nHost: x\r\n\r\n";

suite("connections", { concurrency: true }, () => {
  test("a connection whose caller does not read is cut when an answer has waited too long", async () => {
    await using service = await startService({ DUBA_REQUEST_TIMEOUT: "1s", DUBA_LIMITS: "off" });
    const whole = await service.ask("/docs/scalar.js");
    const stuck = connect(service.port, "127.0.0.1").pause();
    stuck.on("error", () => undefined);
    stuck.write(large.repeat(8));
    await until(() => service.lines.some(({ message }) => message.startsWith("cut connections")));
    await new Promise((resolve) => stuck.once("close", resolve).resume());
    assert.ok(stuck.bytesRead < 8 * whole.bytes.length, "the rest of the answers was not sent");
    assert.equal((await service.ask("/docs/scalar.js")).bytes.length, whole.bytes.length);
  });

  test("a caller who sends many requests without waiting does not make others wait for all of them", async () => {
    await using service = await startService({ DUBA_ACCESS_LOG: "all", DUBA_LIMITS: "off" });
    const ask = (id: string, more = "") =>
      `GET /api/v2/internet/data/fetch-providers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${sandboxKey}\r\nX-Request-Id: ${id}\r\n${more}\r\n`;
    const [many, one] = [new Line(service.port), new Line(service.port)];
    for (const line of [many, one]) {
      line.say(ask("first"));
      await line.heard(1);
    }
    service.lines.length = 0;
    many.say(ask("one-of-many").repeat(299) + ask("one-of-many", "Connection: close\r\n"));
    one.say(ask("the-other"));
    await many.closed;
    assert.equal(many.answers.length, 301);
    const asked = service.lines.map(({ fields }) => fields.requestId);
    assert.equal(asked.filter((id) => id === "one-of-many").length, 300);
    assert.ok(asked.indexOf("the-other") < 150, `it was served after ${asked.indexOf("the-other")} others`);
    one.end();
  });

  test("connections above the limit are closed at once, and earlier ones continue", async () => {
    await using service = await startService({ DUBA_MAX_CONNECTIONS: "2" });
    const lines = [new Line(service.port), new Line(service.port)];
    const ask = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    for (const line of lines) line.say(ask);
    for (const line of lines) await line.heard(1);
    for (const refused of [new Line(service.port), new Line(service.port)]) {
      refused.say(ask);
      await refused.closed;
      assert.deepEqual(refused.answers, []);
    }
    lines[0]!.say(ask);
    assert.equal((await lines[0]!.heard(2)).length, 2);
    for (const line of lines) line.end();
    await until(() => service.lines.length > 0);
    assert.equal(service.lines.filter(({ message }) => message.startsWith("refused connections")).length, 1);
  });
});
