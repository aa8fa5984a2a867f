import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";
import type { StandInRequest, StandInResponse } from "./stand-in.ts";

/** Where a stand-in listens. */
export interface StandInPlace {
  /** An address of this machine. By default only this machine can connect. */
  host?: string;
  /** 0: any free one. */
  port: number;
  /** The header that marks every response; its value is the vendor's name. */
  header: string;
}

export interface Running {
  port: number;
  /** The address to point Duba at. */
  url: string;
  close(): Promise<void>;
}

const mostRead = 64 * 1024;

/**
 * Serves with the mark of a stand-in. `base` is the path of its address. Rejects with Node's error if it cannot listen.
 */
export async function listenAsStandIn(
  { name, base = "" }: { name: string; base?: string | undefined },
  { host = "127.0.0.1", port, header }: StandInPlace,
  answer: (request: StandInRequest, response: ServerResponse) => void,
): Promise<Running> {
  const server = createServer(async (raw, response) => {
    response.setHeader(header, name);
    const request = await readRequest(raw);
    if (request) answer(request, response);
    else response.destroy();
  });
  await once(server.listen(port, host), "listening");
  const { port: at } = server.address() as AddressInfo;
  return {
    port: at,
    url: `http://${reachable(host)}:${at}${base}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A host at which this machine reaches a server that listens on `host`. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIPv6(host) ? `[${host}]` : host;
}

/** `isForm`: as a form, not as JSON. */
export function sendAnswer(response: ServerResponse, { status, body }: StandInResponse, isForm = false): void {
  if (!isForm) {
    sendJson(response, { status, body });
    return;
  }
  const members = Object.entries(body).map(([name, value]) => [name, String(value ?? "")]);
  response.writeHead(status, { "Content-Type": "application/x-www-form-urlencoded" });
  response.end(new URLSearchParams(members).toString());
}

export function sendJson(response: ServerResponse, { status, body }: StandInResponse): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

/** Returns undefined for a request that is incomplete or too long, or whose body is neither JSON nor a form. */
async function readRequest(raw: IncomingMessage): Promise<StandInRequest | undefined> {
  try {
    let text = "";
    for await (const chunk of raw.setEncoding("utf8")) {
      text += chunk;
      if (text.length > mostRead) return undefined;
    }
    const { pathname, searchParams } = new URL(raw.url!, "http://127.0.0.1");
    const isForm = raw.headers["content-type"]?.startsWith("application/x-www-form-urlencoded");
    const body = isForm ? Object.fromEntries(new URLSearchParams(text)) : text === "" ? {} : JSON.parse(text);
    return { method: raw.method!, path: pathname, query: searchParams, headers: raw.headers, body: Object(body) };
  } catch {
    return undefined;
  }
}
