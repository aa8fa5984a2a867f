import type { IncomingHttpHeaders } from "node:http";
import { type Operation, pathUnder } from "../../declare/operation.ts";
import { HttpClient } from "../../runtime/network/http-client.ts";
import { unreachableSentence } from "../../runtime/network/unreachable.ts";

const timeoutSeconds = 60;

/** Duba did not answer: either nothing answered, or another server. `message` contains no credential and no member. */
export class NoAnswerError extends Error {
  readonly exitCode = 1;
}

export interface CallRequest {
  operation: Operation<never>;
  members: ReadonlyMap<string, string>;
  headers: Readonly<Record<string, string>>;
  /** Without a slash at its end. */
  url: string;
  /** The beginning of all paths at this URL. */
  prefix: string;
  key: string;
  userAgent: string;
}

export interface CallResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends one request as the operation declares: members in the path, then in the query or in a JSON body. */
export async function sendCall({
  operation,
  members,
  headers,
  url,
  prefix,
  key,
  userAgent,
}: CallRequest): Promise<CallResponse> {
  const rest = new Map(members);
  const path = pathUnder(prefix, operation.path).replace(
    /\{(\w+)\}|:(\w+)/g,
    (_, braced?: string, coloned?: string) => {
      const name = braced ?? coloned ?? "";
      const value = rest.get(name) ?? "";
      rest.delete(name);
      return encodeURIComponent(value);
    },
  );
  const asBody = operation.carriage === "body";
  const query = asBody || rest.size === 0 ? "" : `?${new URLSearchParams([...rest])}`;
  const http = new HttpClient();
  const answer = await http.send({
    method: operation.method,
    url: new URL(`${url}${path}${query}`),
    headers: {
      Accept: "application/json",
      "User-Agent": userAgent,
      ...(key && { Authorization: `Bearer ${key}` }),
      ...(asBody && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(asBody && { body: JSON.stringify(Object.fromEntries(rest)) }),
    timeout: timeoutSeconds * 1000,
  });
  if (answer.kind !== "answered") throw new NoAnswerError(sentenceOf(answer.code, new URL(url).origin));
  return { status: answer.status, headers: answer.headers, text: answer.body.toString() };
}

/** Says what happened when no response came. */
function sentenceOf(code: string, origin: string): string {
  if (code === "timed_out") return `${origin} did not answer within ${timeoutSeconds} seconds.`;
  const cure = `${code === "ECONNREFUSED" ? "Start it with `duba serve`, or choose" : "Choose"} another address with --url.`;
  return `${unreachableSentence(origin, code)} ${cure}`;
}
