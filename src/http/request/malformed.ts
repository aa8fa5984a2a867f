import type { IncomingMessage } from "node:http";
import { Failure } from "../../declare/failures.ts";
import type { HttpDependencies } from "../dependencies.ts";
import { sizeOf } from "./json-body.ts";
import { isNotOffered } from "./not-offered.ts";

/**
 * The path and query of a request target. Proxies may send the absolute form, `http://host/path`, whose host is
 * dropped, so that no answer repeats the host. Returns any other target unchanged.
 */
export function targetOf(url: string): string {
  if (url.startsWith("/")) return url;
  const [, host, rest = ""] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? [];
  if (host === undefined || !isHost(host)) return url;
  return rest.startsWith("/") ? rest : `/${rest}`;
}

const hostForm = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::\d{0,5})?$/;
let lastHost = "";

/** Remembers the result for the last host, because most requests name one host. */
function isHost(text: string): boolean {
  if (text === lastHost) return true;
  if (!hostForm.test(text)) return false;
  lastHost = text;
  return true;
}

/** Paths are exact, but the router would decode them and read a trailing slash as an empty parameter. */
export const inexactPath = /^[^?]*%|^[^?]+\/(?:\?|$)/;

/**
 * The `Failure` for a request with malformed headers, whatever its target. Undefined if the headers are well formed.
 */
export function refusalByHeaders({ headers, httpVersion, rawHeaders }: IncomingMessage): Failure | undefined {
  if (headers.host === undefined ? httpVersion === "1.1" : !isHost(headers.host))
    return malformed(`The Host header ${headers.host === undefined ? "is missing" : "names no host"}.`);
  const repeated = repeatedHeader(rawHeaders);
  if (repeated) return malformed(`The request has two ${repeated} headers. Send one.`);
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && httpVersion === "1.0")
    return unreadable("HTTP/1.0 has no Transfer-Encoding. Send Content-Length, or HTTP/1.1.");
  if (coding !== undefined && coding.toLowerCase() !== "chunked")
    return unreadable("The only Transfer-Encoding that is read here is chunked.");
  return undefined;
}

/** The `Failure` for a request whose target is malformed or too long; undefined for any other target. */
export function refusalByTarget(
  { method, url = "" }: IncomingMessage,
  { bounds }: Pick<HttpDependencies, "bounds">,
): Failure | undefined {
  if (url.length > bounds.url) return new Failure("uri_too_long", `The URL is longer than ${sizeOf(bounds.url)}.`);
  if (!url.startsWith("/") && !(url === "*" && method === "OPTIONS"))
    return malformed("The request target must be a path, such as /healthz.");
  if (url.includes("#")) return malformed("The request target contains a #. Remove the fragment, or send # as %23.");
  if (url.includes("%") && !isDecodable(url)) return malformed("The URL cannot be decoded.");
  return undefined;
}

/**
 * Why no route matched: the path is unknown, or has other methods. `meant`: the path of an operation that the caller
 * may mean.
 */
export function unroutable(
  { method, url }: Pick<IncomingMessage, "method" | "url">,
  methods: readonly string[],
  meant: string | undefined,
  deps: HttpDependencies,
): Failure {
  if (methods.length === 0 && isNotOffered(method, url!.split("?", 1)[0]!)) return notOffered();
  if (methods.length === 0) return noSuchPath(meant, deps);
  const allow = methods.join(", ");
  return new Failure("method_not_allowed", `This path answers ${allow} only.`, { headers: { Allow: allow } });
}

/** Finds a repeated Host or Authorization header: Node silently keeps the first. */
function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  let hosts = 0;
  let credentials = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    // Compares lengths and usual spellings first, because this runs on every request.
    if (name.length === 4 && (name === "Host" || name.toLowerCase() === "host")) hosts += 1;
    else if (name.length === 13 && (name === "Authorization" || name.toLowerCase() === "authorization"))
      credentials += 1;
  }
  return hosts > 1 ? "Host" : credentials > 1 ? "Authorization" : undefined;
}

function malformed(sentence: string): Failure {
  return new Failure("malformed_request", sentence);
}

/** After such a request the beginning of the next one is unknown, so the connection is closed. */
function unreadable(sentence: string): Failure {
  return new Failure("malformed_request", sentence, { headers: { Connection: "close" } });
}

function notOffered(): Failure {
  return new Failure(
    "not_offered",
    "Duba lists and verifies: it sells nothing, moves no money and has no lists of other goods. " +
      "Send this request to the service that has them, under a base address of its own.",
  );
}

function noSuchPath(meant: string | undefined, { docs, pathPrefixes }: HttpDependencies): Failure {
  const hint = meant ? `Did you mean ${meant}?` : `Operations begin with ${pathPrefixes.join(" or ")}.`;
  return new Failure(
    "route_not_found",
    `No operation has this path. ${hint}${docs ? " GET /docs lists all of them." : ""}`,
  );
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}
