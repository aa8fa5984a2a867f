import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type GatewayResponse, gatewayResponses } from "./gateway-responses.ts";

/**
 * What a connection does to a request. `refused`: the service never gets it. `cut`: the service gets it, and the
 * connection breaks at once. `lost`: the connection breaks after the service answered. `half`: half of the response
 * arrives. `held`: no response arrives. `late`: the connection breaks, and the service gets the request together with
 * the next one. `garbage`: the response is not HTTP. `drip`: the response arrives byte by byte. `chunk`: the connection
 * breaks inside a chunk.
 */
export const connectionFaults = [
  ...(["refused", "cut", "lost", "half", "held", "late", "garbage", "drip", "chunk"] as const),
];

/** A fault between client and service. A gateway that answers has called the service first. */
export type Fault = (typeof connectionFaults)[number] | keyof typeof gatewayResponses;

export const faults = [...connectionFaults, ...Object.keys(gatewayResponses)] as readonly Fault[];

/** Whether a retry cannot help after this fault. */
export function isFinal(fault: Fault): boolean {
  return answerOf(fault)?.isFinal === true;
}

/** A request that the client sent. */
export interface Passed {
  method: string;
  path: string;
  /** The `Idempotency-Key`. */
  key: string | undefined;
  /** The status of the service's answer; undefined before it arrives. */
  status?: number;
}

/** Chooses the fault of a request. May take its time. */
export type FaultChoice = (
  incoming: IncomingMessage,
  body: Promise<Buffer>,
) => Fault | "none" | Promise<Fault | "none">;

/**
 * A gateway before a service. A list gives the faults of the first requests, after which all pass; or a function
 * chooses each fault.
 */
export class FaultyProxy implements AsyncDisposable {
  readonly passed: Passed[] = [];
  readonly #server: Server;
  readonly #service: string;
  readonly #choose: FaultChoice;
  #late: (() => void)[] = [];

  private constructor(service: string, choose: FaultChoice) {
    this.#service = service;
    this.#choose = choose;
    // An error here means that the service or the client closed the connection.
    this.#server = createServer((incoming, response) => {
      this.#treat(incoming, response).catch(() => response.destroy());
    });
  }

  static async open(service: string, faults: readonly (Fault | "none")[] | FaultChoice = []): Promise<FaultyProxy> {
    const planned = typeof faults === "function" ? [] : [...faults];
    const proxy = new FaultyProxy(service, typeof faults === "function" ? faults : () => planned.shift() ?? "none");
    await once(proxy.#server.listen(0, "127.0.0.1"), "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #treat(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const whole = buffer(incoming);
    const [fault, body] = await Promise.all([this.#choose(incoming, whole), whole]);
    const { method = "", url = "", headers } = incoming;
    const passed: Passed = { method, path: url.split("?")[0]!, key: headers["idempotency-key"] as string | undefined };
    this.passed.push(passed);
    const forward = () => this.#forward(incoming, body, passed);
    for (const late of this.#late.splice(0)) late();
    if (fault === "refused" || fault === "late" || fault === "cut") {
      if (fault === "late") this.#late.push(() => forward().catch(() => {}));
      if (fault === "cut") forward().catch(() => {});
      response.destroy();
      return;
    }
    const { status, headers: answered, bytes } = await forward();
    if (fault === "held") return;
    if (fault === "lost") return void response.destroy();
    if (fault === "garbage") return void response.socket!.end("220 smtp.example ESMTP\r\n");
    const gateways = answerOf(fault);
    if (gateways) return void response.writeHead(gateways.status, gateways.headers).end(gateways.body);
    if (fault === "chunk") {
      response.socket!.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n${bytes.subarray(0, 9)}`);
      return;
    }
    response.writeHead(status, answered);
    if (fault === "none") response.end(bytes);
    else if (fault === "drip") {
      const rest = [...bytes];
      const dripping = setInterval(() => {
        // The client may have disconnected already.
        if (response.closed) clearInterval(dripping);
        else response.write(Buffer.from(rest.splice(0, 1)));
      }, 100);
    } else response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  }

  async #forward({ method, url, headers }: IncomingMessage, body: Buffer, passed: Passed) {
    const asking = request(this.#service + url, { method: method!, headers, agent: false }).end(body);
    const [answer] = (await once(asking, "response")) as [IncomingMessage];
    const bytes = await buffer(answer);
    passed.status = answer.statusCode!;
    return { status: answer.statusCode!, headers: answer.headers, bytes };
  }
}

function answerOf(fault: Fault | "none"): GatewayResponse | undefined {
  return (gatewayResponses as Partial<Record<string, GatewayResponse>>)[fault];
}
