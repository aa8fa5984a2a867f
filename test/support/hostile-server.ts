import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { localCertificate } from "./certificate.ts";

const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const white = " ".repeat(64 * 1024);

/** The responses of a hostile server: a beginning, and then a part that repeats without end. */
const responses = {
  "informational responses": ["", "HTTP/1.1 100 Continue\r\n\r\n".repeat(2600)],
  "early hints": ["", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(1500)],
  "blank lines before the head": ["", "\r\n".repeat(32 * 1024)],
  "header lines": ["HTTP/1.1 200 OK\r\n", "X-A: bbbbbb\r\n".repeat(5000)],
  "white space in a header": ["HTTP/1.1 200 OK\r\nX-A:", white],
  trailers: [`${chunked}1\r\na\r\n0\r\n`, "X-A: bbbbbb\r\n".repeat(5000)],
  "white space in a trailer": [`${chunked}1\r\na\r\n0\r\nX-A:`, white],
  "an extension of a chunk": [`${chunked}1;a=`, "b".repeat(64 * 1024)],
  "extensions of chunks": [chunked, `1;a=${"b".repeat(8000)}\r\na\r\n`.repeat(8)],
  "zeros in the size of a chunk": [chunked, "0".repeat(64 * 1024)],
  "chunks of one byte": [chunked, "1\r\na\r\n".repeat(10_000)],
  "the body of a redirect": ["HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n", "a".repeat(64 * 1024)],
  "another protocol": [
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    "a".repeat(64 * 1024),
  ],
} as const satisfies Record<string, readonly [string, string]>;

export type Hostile = keyof typeof responses;
export const everyHostile = Object.keys(responses) as Hostile[];

export interface HostileServer {
  /** The server's certificate. */
  cert: string;
  /** The URL of one response, without a slash at its end. */
  url(protocol: "http:" | "https:", response: Hostile): string;
  /** The URL of a server that accepts connections but never completes a response head or a TLS handshake. */
  slowUrl(protocol: "http:" | "https:"): string;
  close(): void;
}

/** Starts the server in a process of its own, so that its CPU time is not counted as ours. */
export async function openHostileServer(): Promise<HostileServer> {
  const certificate = localCertificate();
  const child: ChildProcess = fork(import.meta.filename, { execArgv: [] });
  child.send(certificate);
  const [ports] = (await once(child, "message")) as [Record<"http:" | "https:" | "slow", number>];
  return {
    cert: certificate.cert,
    url: (protocol, response) => `${protocol}//localhost:${ports[protocol]}/${everyHostile.indexOf(response)}`,
    slowUrl: (protocol) => `${protocol}//localhost:${ports.slow}`,
    close: () => child.kill("SIGKILL"),
  };
}

function answer(socket: Socket): void {
  socket.on("error", () => undefined);
  socket.once("data", (head) => {
    const [beginning, again] = responses[everyHostile[Number(/ \/(\d+)/.exec(String(head))![1])]!];
    const bytes = Buffer.from(again);
    const flood = () => {
      // Yields to the event loop, so that a closed connection is noticed.
      if (!socket.destroyed && socket.write(bytes)) setImmediate(flood);
    };
    socket.on("drain", flood);
    socket.write(beginning);
    flood();
  });
}

/** Sends a valid beginning of a handshake or of a response head, then one byte at a time. */
function dribble(socket: Socket): void {
  let timer: NodeJS.Timeout;
  socket.on("error", () => undefined).on("close", () => clearInterval(timer));
  socket.once("data", ([first]) => {
    const isTls = first === 0x16;
    // The start of a TLS record of 16 KiB with a server hello.
    socket.write(isTls ? Buffer.from("160303400002003ffc0303", "hex") : "HTTP/1.1 200 OK\r\nX-A: ");
    timer = setInterval(() => socket.write("a"), 20);
  });
}

if (import.meta.main)
  process.once("message", async (certificate: { key: string; cert: string }) => {
    const servers = {
      "http:": createServer(answer),
      "https:": createTlsServer(certificate, answer),
      slow: createServer(dribble),
    };
    const ports: Record<string, number> = {};
    for (const [name, server] of Object.entries(servers)) {
      await once(server.listen(0, "127.0.0.1"), "listening");
      ports[name] = (server.address() as AddressInfo).port;
    }
    process.send!(ports);
  });
