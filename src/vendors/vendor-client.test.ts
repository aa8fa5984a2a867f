import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { RecordedLog } from "../runtime/recorded-log.fixture.ts";
import { type Behaviour, json, LocalVendor, text } from "./local-vendor.fixture.ts";
import { VendorClient, type VendorClientOptions, type VendorRequest } from "./vendor-client.ts";

async function open(t: TestContext, options: Partial<VendorClientOptions> = {}, scheme: "http" | "https" = "http") {
  const log = new RecordedLog();
  const http = new VendorClient({ timeout: 30_000, connections: 4, keepAlive: false, log, ...options });
  const vendor = await LocalVendor.start(scheme);
  t.after(async () => {
    await http.close();
    await vendor.close();
  });
  const ask = (request: Partial<VendorRequest> = {}) =>
    http.send({ method: "POST", url: `${vendor.url}/ask?bvn=22000000017`, body: { bvn: "22000000017" }, ...request });
  return { http, vendor, log, ask };
}

test("a JSON response of any status is returned unchanged", async (t) => {
  const { vendor, ask, log } = await open(t);
  vendor.behaviour = json(200, { a: [1, null] });
  assert.deepEqual(await ask(), { kind: "answered", status: 200, body: { a: [1, null] } });
  vendor.behaviour = text(503, "application/problem+json; charset=utf-8", "\uFEFF{}");
  assert.deepEqual(await ask(), { kind: "answered", status: 503, body: {} });
  vendor.behaviour = (response) => void response.writeHead(401).end();
  assert.deepEqual(await ask(), { kind: "answered", status: 401, body: undefined });
  assert.deepEqual(log.lines, []);
});

test("only a rehearsal reads a stand-in's response, and it reads a real response only if allowed", async (t) => {
  const marks = [{ "Duba-Stand-In": "prembly" }, { "Duba-Mode": "stand-in" }, { "Duba-Mode": "test" }];
  const told = async (standIns: boolean | "either", headers: Record<string, string>) => {
    const { vendor, ask } = await open(t, { standIns });
    vendor.behaviour = json(502, { a: 1 }, headers);
    return { code: "read", ...(await ask()) }.code;
  };
  const all = (standIns: boolean | "either") => Promise.all(marks.map((headers) => told(standIns, headers)));
  assert.deepEqual(await all(false), ["stand_in", "stand_in", "read"]);
  assert.deepEqual(await all(true), ["read", "read", "no_stand_in"]);
  assert.deepEqual(await all("either"), ["read", "read", "read"]);
});

test("the request goes out with its body as JSON, its headers and the trace context", async (t) => {
  const { vendor, ask } = await open(t);
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  await ask({ headers: { "x-key": "k" }, traceparent });
  const [received] = vendor.received;
  assert.equal(received?.method, "POST");
  assert.equal(received?.path, "/ask?bvn=22000000017");
  assert.equal(received?.body, '{"bvn":"22000000017"}');
  assert.equal(received?.headers["content-type"], "application/json");
  assert.equal(received?.headers.accept, "application/json");
  assert.equal(received?.headers["x-key"], "k");
  assert.equal(received?.headers.traceparent, traceparent);
});

test("a vendor's headers can sign the exact bytes of the body", async (t) => {
  const { http, vendor, ask } = await open(t);
  const sign = (text: string) => createHmac("sha256", "a key of ours").update(text).digest("hex");
  const headers = (body: string) => ({ "x-signature": sign(body) });
  await ask({ headers, body: { name: "Ọlá", amount: 1 } });
  await http.send({ method: "GET", url: vendor.url, headers });
  const [posted, got] = vendor.received;
  assert.equal(posted?.body, '{"name":"Ọlá","amount":1}');
  assert.deepEqual(
    [posted, got].map((received) => received?.headers["x-signature"]),
    [sign(posted!.body), sign("")],
  );
});

test("connections are reused if wanted, and never exceed the limit", async (t) => {
  const { vendor, ask } = await open(t, { connections: 2, keepAlive: true });
  vendor.behaviour = json(200, {});
  for (const _ of [1, 2, 3]) await ask();
  await Promise.all(Array.from({ length: 8 }, () => ask()));
  assert.equal(vendor.received.length, 11);
  assert.equal(vendor.connections, 2);
});

test("a duplicate response is never taken for the response to the next request", async (t) => {
  const { vendor, ask } = await open(t, { connections: 1 });
  const sockets = new Set<Socket>();
  vendor.behaviour = (response, received) => {
    for (const socket of sockets)
      if (socket.writable) socket.write("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    sockets.add(response.socket!);
    json(200, {})(response, received);
  };
  for (const _ of [1, 2, 3]) assert.deepEqual(await ask(), { kind: "answered", status: 200, body: {} });
  // A request that waited for its turn does not get the duplicate either.
  const answers = await Promise.all([ask(), ask(), ask()]);
  assert.deepEqual(answers, Array(3).fill({ kind: "answered", status: 200, body: {} }));
  assert.equal(vendor.connections, 6);
});

test("a request that never had a connection is reported as not sent", async (t) => {
  const { vendor, ask } = await open(t);
  assert.deepEqual(await ask({ url: vendor.url.replace("http:", "https:") }), {
    kind: "notSent",
    code: "EPROTO",
  });
  assert.deepEqual(await ask({ signal: AbortSignal.abort() }), { kind: "notSent", code: "aborted" });
  assert.deepEqual(await ask({ headers: { "x-key": "a\nkey" } }), { kind: "notSent", code: "ERR_INVALID_CHAR" });
  assert.equal((await ask({ url: "http://nowhere.invalid/" })).kind, "notSent");
  await vendor.close();
  assert.deepEqual(await ask(), { kind: "notSent", code: "ECONNREFUSED" });
  assert.deepEqual(vendor.received, []);
});

test("an untrusted certificate ends the request before anything is sent", async (t) => {
  const { vendor, ask } = await open(t, {}, "https");
  assert.deepEqual(await ask(), { kind: "notSent", code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  assert.deepEqual(vendor.received, []);
});

test("a request that still waits for a connection at its time-out is not sent later", async (t) => {
  const { vendor, ask } = await open(t, { connections: 1 });
  let answer = () => {};
  vendor.behaviour = (response) => {
    answer = () => void response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
  };
  const first = ask();
  await vendor.asked(1);
  const waiting = new AbortController();
  const second = ask({ signal: waiting.signal });
  waiting.abort();
  assert.deepEqual(await second, { kind: "notSent", code: "aborted" });
  answer();
  assert.equal((await first).kind, "answered");
  vendor.behaviour = json(200, {});
  assert.equal((await ask()).kind, "answered");
  assert.equal(vendor.received.length, 2);
});

test("a request whose connection is reset before a response counts as lost or as not sent", async (t) => {
  const { vendor, ask } = await open(t);
  vendor.welcome = (socket) => void socket.resetAndDestroy();
  const { kind } = await ask();
  assert.ok(kind === "lost" || kind === "notSent");
  assert.deepEqual(vendor.received, []);
});

const lost: Record<string, Behaviour> = {
  "is reset after the request": (response) => void response.socket!.resetAndDestroy(),
  "ends without an answer": (response) => void response.socket!.end(),
  "ends in the middle of the body": (response) => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" });
    response.write('{"data":', () => response.socket!.destroy());
  },
};
for (const [what, behaviour] of Object.entries(lost)) {
  test(`the outcome stays unknown if a connection ${what}`, async (t) => {
    const { vendor, ask } = await open(t);
    vendor.behaviour = behaviour;
    assert.equal((await ask()).kind, "lost");
    assert.equal(vendor.received.length, 1);
  });
}

const slow: Record<string, Behaviour> = {
  headers: () => {},
  "a body": (response) =>
    void response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" }).write("{"),
};
for (const [what, behaviour] of Object.entries(slow)) {
  test(`the time-out, and an abort by the caller, end the wait for ${what}`, async (t) => {
    const hurried = await open(t, { timeout: 1000 });
    hurried.vendor.behaviour = behaviour;
    assert.deepEqual(await hurried.ask(), { kind: "lost", code: "timed_out" });
    const { vendor, ask } = await open(t, { timeout: 60_000 });
    vendor.behaviour = behaviour;
    const caller = new AbortController();
    const asked = ask({ signal: caller.signal });
    await vendor.asked(1);
    caller.abort();
    assert.deepEqual(await asked, { kind: "lost", code: "aborted" });
  });
}

const unreadable: Record<string, [Behaviour, status: number, code: string]> = {
  "a redirect": [json(307, {}, { Location: "/elsewhere" }), 307, "redirect"],
  HTML: [text(200, "text/html", "<p>22000000017</p>"), 200, "not_json"],
  "half a JSON text": [text(502, "application/json", '{"data":'), 502, "not_json"],
  "no UTF-8": [
    (response) =>
      void response.writeHead(200, { "Content-Type": "application/json" }).end(Buffer.from([0x22, 0xff, 0x22])),
    200,
    "not_json",
  ],
  "a body that is announced too large": [
    text(200, "application/json", JSON.stringify("x".repeat(8 * 1024 * 1024))),
    200,
    "too_large",
  ],
  "a body that grows too large": [
    (response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      for (let n = 0; n < 20; n += 1) response.write("1".repeat(64 * 1024));
      response.end();
    },
    200,
    "too_large",
  ],
};
for (const type of ["text/html; charset=utf-8", "text/plain", "application/octet-stream", ""])
  test(`JSON with the media type "${type}" is accepted as a response`, async (t) => {
    const { vendor, ask } = await open(t);
    vendor.behaviour = (response) => void response.writeHead(200, type ? { "Content-Type": type } : {}).end('{"a":1}');
    assert.deepEqual(await ask(), { kind: "answered", status: 200, body: { a: 1 } });
  });
for (const [what, [behaviour, status, code]] of Object.entries(unreadable)) {
  test(`${what} is not accepted as a response`, async (t) => {
    const { vendor, ask, log } = await open(t);
    vendor.behaviour = behaviour;
    assert.deepEqual(await ask(), { kind: "unreadable", status, code });
    assert.equal(vendor.received.length, 1);
    const { ms, ...fields } = log.lines[0]!.fields;
    assert.deepEqual(fields, { host: new URL(vendor.url).host, kind: "unreadable", status, code });
    assert.ok(Number.isInteger(ms), String(ms));
  });
}

test("a response with a photo of the documented size is accepted", async (t) => {
  const { vendor, ask } = await open(t);
  vendor.behaviour = json(200, { image: "x".repeat(580_310) });
  assert.equal((await ask()).kind, "answered");
});

test("a response with photos of megabytes loses the photos, and keeps all else", async (t) => {
  const { vendor, ask } = await open(t);
  const [photo, signature] = ["QUJD/+".repeat(600_000), "x".repeat(2_000_000)];
  vendor.behaviour = json(200, { photo, data: { bvn: "22000000017", signature }, status: true });
  const answer = await ask();
  assert.ok(answer.kind === "answered");
  const { photo: cut, ...rest } = answer.body as { photo: string; data: { bvn: string }; status: boolean };
  assert.ok(photo.startsWith(cut) && cut.length < 20_000);
  assert.deepEqual([rest.data.bvn, rest.status], ["22000000017", true]);
  vendor.behaviour = json(200, { note: "a word ".repeat(200_000) });
  assert.deepEqual(await ask(), { kind: "unreadable", status: 200, code: "too_large" });
});

test("an allowance limits each response, and the sum of all responses that share it", async (t) => {
  const { vendor, ask } = await open(t);
  vendor.behaviour = json(200, "x".repeat(398));
  const allowance = { each: 400, left: 1000 };
  assert.equal((await ask({ allowance })).kind, "answered");
  assert.equal((await ask({ allowance })).kind, "answered");
  assert.equal(allowance.left, 200);
  assert.deepEqual(await ask({ allowance }), { kind: "unreadable", status: 200, code: "too_large" });
  assert.equal((await ask({ allowance: { each: 399, left: 1000 } })).kind, "unreadable");
});

test("wanted headers are returned, and a 304 to an unconditional request is not a response", async (t) => {
  const { vendor, ask } = await open(t);
  vendor.behaviour = json(200, {}, { "X-One": "1", "X-Other": "2" });
  assert.deepEqual(await ask({ wantedHeaders: ["x-one", "x-missing"] }), {
    kind: "answered",
    status: 200,
    body: {},
    headers: { "x-one": "1" },
  });
  vendor.behaviour = (response) => void response.writeHead(304).end();
  assert.deepEqual(await ask(), { kind: "unreadable", status: 304, code: "redirect" });
});

test("the log contains no number, key or path of a request", async (t) => {
  const { vendor, ask, log } = await open(t, { timeout: 400 });
  const behaviours = [
    ...Object.values(lost),
    ...Object.values(slow),
    ...Object.values(unreadable).map(([first]) => first),
  ];
  for (const behaviour of behaviours) {
    vendor.behaviour = behaviour;
    await ask({ headers: { "x-key": "the-key" } });
  }
  assert.equal(log.lines.length, behaviours.length);
  assert.doesNotMatch(JSON.stringify(log.lines), /22000000017|the-key|\/ask/);
});

test("closing the client ends its requests", async (t) => {
  const { http, vendor, ask } = await open(t);
  vendor.behaviour = () => {};
  const asked = ask();
  await vendor.asked(1);
  await http.close();
  assert.equal((await asked).kind, "lost");
  assert.equal((await ask()).kind, "notSent");
});

test("after sendUntil no request is sent, but the response to a sent one is still accepted", async (t) => {
  const { vendor, ask } = await open(t);
  const end = new AbortController();
  let answer = () => {};
  vendor.behaviour = (response, received) => {
    answer = () => json(200, {})(response, received);
  };
  const sent = ask({ sendUntil: end.signal });
  await vendor.asked(1);
  end.abort();
  assert.deepEqual(await ask({ sendUntil: end.signal }), { kind: "notSent", code: "aborted" });
  answer();
  assert.deepEqual(await sent, { kind: "answered", status: 200, body: {} });
  assert.equal(vendor.received.length, 1);
});
