import { connect } from "node:net";
import fc from "fast-check";
import { everyOperation } from "../../src/wire/every-operation.ts";

const operations = fc.constantFrom(...everyOperation);
const head = operations.map(({ method, path }) => `${method} ${path} HTTP/1.1\r\nHost: a\r\n`);
const garbage = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const connecting = fc.constantFrom(
  "CONNECT a:1 HTTP/1.1\r\n\r\n",
  "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n",
  "CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n",
);
const upgrading = fc
  .tuple(head, fc.constantFrom("websocket", "h2c", "TLS/1.0"), fc.constantFrom("", "Content-Length: 2\r\n"))
  .map(([good, to, length]) => `${good}Connection: Upgrade\r\nUpgrade: ${to}\r\n${length}\r\n`);
const whole = head.map((good) => `${good}\r\n`);

/** Bytes that are no request, half a request, or another protocol; some follow a complete request. */
export const malformedBytes: fc.Arbitrary<Buffer> = fc.oneof(
  garbage,
  fc.tuple(head, garbage).map(([good, bad]) => Buffer.concat([Buffer.from(good), bad])),
  fc
    .tuple(
      head,
      fc.constantFrom("Transfer-Encoding: chunked", "Content-Length: 9", "Content-Length: 99999999"),
      garbage,
    )
    .map(([good, length, bad]) => Buffer.concat([Buffer.from(`${good}${length}\r\n\r\n`), bad])),
  fc.tuple(head, fc.nat(200)).map(([good, at]) => Buffer.from(`${good.slice(0, at)}\u0000${good.slice(at)}\r\n`)),
  fc
    .tuple(fc.constantFrom(0, 1, 3), whole, fc.oneof(connecting, upgrading), fc.oneof(whole, garbage))
    .map(([times, before, last, behind]) =>
      Buffer.concat([Buffer.from(before.repeat(times) + last), Buffer.from(behind)]),
    ),
);

/**
 * How a client disconnects: with a reset after its last byte, between bytes, or at the response's first byte; by
 * closing its side; or at once.
 */
export const leavings = ["reset", "reset amid", "reset on hearing", "halfway", "at once"] as const;

/** Sends bytes to a local port, and disconnects. Resolves when the connection is closed. */
export function sendAndLeave(port: number, bytes: Buffer, leaving: (typeof leavings)[number]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  socket.once("close", () => resolve());
  const middle = leaving === "reset amid" ? bytes.length >> 1 : bytes.length;
  const leave = {
    reset: () => socket.resetAndDestroy(),
    "reset amid": () => socket.write(bytes.subarray(middle), () => socket.resetAndDestroy()),
    "reset on hearing": () => socket.once("data", () => socket.resetAndDestroy()).end(),
    halfway: () => socket.resume().end(),
    "at once": () => socket.destroy(),
  }[leaving];
  socket.write(bytes.subarray(0, middle), leave);
  return promise;
}
