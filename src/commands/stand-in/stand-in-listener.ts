import type { IncomingMessage, ServerResponse } from "node:http";
import { openServer } from "../../http/shell/open-server.ts";
import { silent } from "../../runtime/log.ts";
import { localUrl } from "../../runtime/network/address.ts";
import { type StandInRequest, type StandInResponse, standInHeader } from "../../upstreams/ports/stand-in.ts";

/** Where a stand-in listens. */
export interface StandInPlace {
  /** An address of this machine. Default: only this machine reaches it. */
  host?: string;
  /** 0: any free one. */
  port: number;
}

export interface Running {
  port: number;
  /** The address to point Duba at. */
  url: string;
  close(): Promise<void>;
}

const bounds = { arrival: 10_000, connections: { most: 1000, answer: 60_000 } };
const mostRead = 64 * 1024;

/** Serves with the mark of a stand-in. `base` is the path of its address. Rejects with Node's error if it cannot listen. */
export async function listenAsStandIn(
  { name, base = "" }: { name: string; base?: string | undefined },
  { host = "127.0.0.1", port }: StandInPlace,
  answer: (request: StandInRequest, response: ServerResponse) => void,
): Promise<Running> {
  const server = openServer(bounds, silent, async (raw, response) => {
    response.setHeader(standInHeader, name);
    const request = await readRequest(raw);
    if (request) answer(request, response);
    else response.destroy();
  });
  const at = await server.listen({ host, port });
  return { port: at, url: `${localUrl(host, at)}${base}`, close: () => server.end() };
}

export function sendJson(response: ServerResponse, { status, body }: StandInResponse): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

/** Undefined if it did not come whole, or is no JSON. */
async function readRequest(raw: IncomingMessage): Promise<StandInRequest | undefined> {
  try {
    let text = "";
    for await (const chunk of raw.setEncoding("utf8")) {
      text += chunk;
      if (text.length > mostRead) return undefined;
    }
    const { pathname, searchParams } = new URL(raw.url!, "http://127.0.0.1");
    const body = text === "" ? {} : JSON.parse(text);
    return { method: raw.method!, path: pathname, query: searchParams, headers: raw.headers, body: Object(body) };
  } catch {
    return undefined;
  }
}
