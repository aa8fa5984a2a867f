import type { AgentOptions, ClientRequest } from "node:http";
import { Agent as NodeTlsAgent } from "node:https";
import { connect, type NetConnectOpts, type Socket } from "node:net";
import { Agent as NodeAgent } from "./node-http.ts";

/**
 * Bytes that a response may have beside its body, and as many again as its body has: heads, sizes of chunks, trailers.
 */
const mostFraming = 32 * 1024;
/** Informational responses, such as 100 and 103, before the response. */
const mostInformational = 10;
/**
 * What we parse in one go, in bytes. Node's 64 KiB can be 2,600 informational responses, which hold the event loop for
 * 60 ms.
 */
const atOnce = 8 * 1024;
/** Servers close connections that are quiet for longer, perhaps just when we send. Milliseconds. */
const keptFor = 4000;

export interface BoundedAgentOptions {
  /** Keeps connections for the next request. */
  keepAlive?: boolean;
  /** Most connections to one host and port; more requests wait. */
  maxSockets?: number;
  /** Milliseconds for one request and its response, for a client that has no bound of its own. */
  mostTime?: number;
}

/**
 * An agent for `http:` or `https:`. A request fails with the code `too_much_framing` if its response is endless beside
 * its body: Node's parser takes informational responses, blank lines, white space, zeros and chunk extensions without
 * end.
 */
export function boundedAgent(protocol: string, options: BoundedAgentOptions = {}): PlainAgent | TlsAgent {
  const all = { ...options, ...(options.keepAlive && { timeout: keptFor }) };
  return protocol === "https:" ? new TlsAgent(all) : new PlainAgent(all);
}

/** Node's types leave out what an agent gets each request with. */
interface GetsRequests {
  options: BoundedAgentOptions;
  addRequest(request: ClientRequest, options: AgentOptions): void;
}

class PlainAgent extends NodeAgent {
  override createConnection(options: NetConnectOpts): Socket {
    const take = (size: number, bytes: Uint8Array): boolean =>
      socket.emit("data", Buffer.from(bytes.subarray(0, size)));
    const socket: Socket = connect({ ...options, onread: { buffer: Buffer.allocUnsafeSlow(atOnce), callback: take } });
    return socket;
  }

  addRequest(this: PlainAgent & GetsRequests, request: ClientRequest, options: AgentOptions): void {
    boundResponse(request, this.options.mostTime);
    (NodeAgent.prototype as unknown as GetsRequests).addRequest.call(this, request, options);
  }
}

/** Records of TLS are short: nothing has to cut them. */
class TlsAgent extends NodeTlsAgent {
  addRequest(this: TlsAgent & GetsRequests, request: ClientRequest, options: AgentOptions): void {
    boundResponse(request, this.options.mostTime);
    (NodeAgent.prototype as unknown as GetsRequests).addRequest.call(this, request, options);
  }
}

/** Counts the bytes that come in, and those of them that are body. */
function boundResponse(request: ClientRequest, mostTime: number | undefined): void {
  const failure = (code: string) => Object.assign(new Error(code), { code });
  const refuse = (code: string) => request.destroy(failure(code));
  const timer = mostTime === undefined ? undefined : setTimeout(refuse, mostTime, "timed_out");
  request.on("close", () => clearTimeout(timer));
  let informational = 0;
  request.on("information", () => {
    informational += 1;
    if (informational > mostInformational) refuse("too_much_framing");
  });
  // Nobody asked for another protocol. Without a listener Node closes the connection and tells nobody.
  request.on("upgrade", (_, socket) => {
    socket.destroy();
    request.emit("error", failure("other_protocol"));
  });
  let body = 0;
  let buffered = () => 0;
  request.on("response", (response) => {
    buffered = () => response.readableLength;
    response.on("data", (chunk: Buffer) => {
      body += chunk.length;
    });
  });
  request.on("socket", (socket) => {
    let read = 0;
    const count = (chunk: Buffer) => {
      read += chunk.length;
      const ofBody = body + buffered();
      if (read - ofBody > mostFraming + ofBody) refuse("too_much_framing");
    };
    // The parser listens already, so it has read each chunk before this counts it.
    socket.on("data", count);
    request.on("close", () => socket.off("data", count));
  });
}
