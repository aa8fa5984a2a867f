import type { Agent, AgentOptions, ClientRequest } from "node:http";
import { connect, type NetConnectOpts, type Socket } from "node:net";
import { Agent as NodeAgent } from "./node-http.ts";

/**
 * Most bytes of framing (heads, chunk sizes, trailers) that a response may have. As many bytes as its body has are
 * allowed in addition.
 */
const mostFraming = 32 * 1024;
/** How many informational responses, such as 100 and 103, may precede the response. */
const mostInformational = 10;
/**
 * How many bytes the parser gets in one go. Node's 64 KiB can hold 2,600 informational responses, which would block the
 * event loop for 60 ms.
 */
const atOnce = 8 * 1024;
/**
 * Milliseconds that we keep an idle connection. Servers close connections that are idle for longer, perhaps just when
 * we send.
 */
const keptFor = 4000;

export interface BoundedAgentOptions {
  /** Keeps connections for the next request. */
  keepAlive?: boolean;
  /** Most connections to one host and port; more requests wait. */
  maxSockets?: number;
  /** Milliseconds for one request and its response, for a client without a limit of its own. */
  mostTime?: number;
}

/**
 * An agent for `http:` or `https:`. A request fails with the code `too_much_framing` if its response is endless outside
 * its body: Node's parser accepts informational responses, blank lines, white space, zeros and chunk extensions without
 * end.
 */
export function boundedAgent(protocol: string, options: BoundedAgentOptions = {}): Agent {
  const all = { ...options, ...(options.keepAlive && { timeout: keptFor }) };
  return protocol === "https:" ? tlsAgent(all) : new PlainAgent(all);
}

/** The method by which Node passes each request to an agent, which Node's types leave out. */
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

/**
 * An agent for `https:`. TLS records are short, so it need not split its reads. Loads `node:https`, which takes 4 MiB.
 */
function tlsAgent(options: BoundedAgentOptions): Agent {
  const agent = new (process.getBuiltinModule("node:https").Agent)(options) as Agent & GetsRequests;
  const { addRequest } = agent;
  agent.addRequest = (request, requestOptions) => {
    boundResponse(request, options.mostTime);
    addRequest.call(agent, request, requestOptions);
  };
  return agent;
}

/** Counts the received bytes, and those of them that belong to the body. */
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
  // The client never asks for another protocol. Without this listener Node would close the connection and report
  // nothing.
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
    // The parser registered its listener earlier, so the parser has read each chunk before the count.
    socket.on("data", count);
    request.on("close", () => socket.off("data", count));
  });
}
