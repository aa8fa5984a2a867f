import { type Operation, pathUnder } from "../../operation/operation.ts";
import { unreachableSentence } from "../../runtime/network/unreachable.ts";

const timeoutSeconds = 60;

/** The service cannot be reached. `message` contains no credential and no member. */
export class UnreachableFault extends Error {
  readonly exitCode = 1;
}

export interface CallRequest {
  operation: Operation<never>;
  members: ReadonlyMap<string, string>;
  headers: Readonly<Record<string, string>>;
  /** Without a slash at its end. */
  url: string;
  /** What the paths begin with there. */
  prefix: string;
  key: string;
  userAgent: string;
}

export interface CallResponse {
  status: number;
  text: string;
}

/** Sends one request as the operation's table row says: members in the path, then in the query or in a JSON body. */
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
  try {
    const answer = await fetch(`${url}${path}${query}`, {
      method: operation.method,
      headers: {
        Accept: "application/json",
        "User-Agent": userAgent,
        ...(key && { Authorization: `Bearer ${key}` }),
        ...(asBody && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(asBody && { body: JSON.stringify(Object.fromEntries(rest)) }),
      // A redirect would carry the key and the members to another address.
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutSeconds * 1000),
    });
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    throw new UnreachableFault(sentenceOf(error, new URL(url).origin));
  }
}

/** The names of the members that the operation's path holds. */
export function pathMembers({ path }: Operation<never>): string[] {
  return [...path.matchAll(/\{(\w+)\}|:(\w+)/g)].map(([, braced, coloned]) => braced ?? coloned ?? "");
}

/** What a person reads in place of a response. */
function sentenceOf(error: unknown, origin: string): string {
  if (error instanceof Error && error.name === "TimeoutError")
    return `${origin} did not answer within ${timeoutSeconds} seconds.`;
  const isAbsent = ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === "ECONNREFUSED";
  const cure = `${isAbsent ? "Start it with `duba serve`, or choose" : "Choose"} another address with --url.`;
  return `${unreachableSentence(origin, error)} ${cure}`;
}
