import { NoResponse } from "./ask-server.ts";
import { CheckError } from "./check-error.ts";
import type { Operation } from "./document.ts";
import { type MaskedExchange, maskedExchange } from "./masked-exchange.ts";
import { type Need, needs, type PartName, type Point } from "./point.ts";
import { Blocked, type CheckSession, whyNoResponse } from "./session.ts";

export type Judgement = "holds" | "broken" | "left_out";

export interface Result {
  id: string;
  part: PartName;
  sentence: string;
  outcome: Judgement;
  /** The reasons why the point is broken or left out, in sentences. */
  why: string[];
  milliseconds: number;
  /** At most the last three requests, each with its response, and only of a broken point. */
  exchanges: MaskedExchange[];
}

export interface RunOptions {
  /** For people: without the path. */
  origin: string;
  timeout: number;
  /** Texts that no result may hold. */
  secrets: readonly string[];
  missing: ReadonlySet<Need>;
  progress: (done: number, all: number) => void;
}

/** After this many points in a row whose last request got no response, all further points are left out. */
const mostTimeouts = 3;

/** Judges the points in their order. */
export async function runPoints(
  points: readonly Point[],
  session: CheckSession,
  options: RunOptions,
): Promise<Result[]> {
  const results: Result[] = [];
  const notHolding = new Set<string>();
  let timeouts = 0;
  for (const [at, point] of points.entries()) {
    const exchanges = session.begin();
    const begun = performance.now();
    const { id, part, sentence } = point;
    const missing = point.needs.find((need) => options.missing.has(need));
    const judged: Pick<Result, "outcome" | "why"> = missing
      ? { outcome: "left_out", why: [needs[missing]] }
      : timeouts >= mostTimeouts
        ? { outcome: "left_out", why: [`The server did not answer ${mostTimeouts} times in a row.`] }
        : await judge(point, session, options, notHolding);
    if (judged.outcome !== "holds") notHolding.add(id);
    if (exchanges.length > 0) timeouts = exchanges.at(-1)!.answered ? 0 : timeouts + 1;
    const shown = judged.outcome === "broken" ? exchanges.slice(-3) : [];
    results.push({
      id,
      part,
      sentence,
      ...judged,
      milliseconds: Math.round(performance.now() - begun),
      exchanges: shown.map((exchange) => maskedExchange(exchange, options.origin, options.secrets)),
    });
    options.progress(at + 1, points.length);
  }
  return results;
}

async function judge(
  { check }: Point,
  session: CheckSession,
  { timeout }: RunOptions,
  notHolding: ReadonlySet<string>,
): Promise<Pick<Result, "outcome" | "why">> {
  try {
    const why = [...(await check(session))];
    return { outcome: why.length === 0 ? "holds" : "broken", why };
  } catch (problem) {
    if (problem instanceof NoResponse) return { outcome: "broken", why: [whyNoResponse(problem, timeout)] };
    if (!(problem instanceof Blocked)) throw problem;
    // A server may answer a question well at first, and fail at its repetition.
    const outcome = notHolding.has(problem.by) ? "left_out" : "broken";
    return { outcome, why: [outcome === "left_out" ? problem.message : `The answer is not that of ${problem.by}.`] };
  }
}

/** Throws a `CheckError` if nothing that speaks the interface answers at the address. */
export async function refuseStranger(
  session: CheckSession,
  operations: readonly Operation[],
  { origin, timeout }: Pick<RunOptions, "origin" | "timeout">,
  unreachable: (origin: string, code: string) => string,
): Promise<void> {
  const seen: string[] = [];
  for (const operation of operations) {
    try {
      const { status, headers, json } = await session.call(operation);
      if (json) return;
      seen.push(
        `${operation.method} ${operation.path}: HTTP ${status}, ${headers["content-type"] ?? "no content type"}`,
      );
    } catch (problem) {
      if (!(problem instanceof NoResponse)) throw problem;
      if (seen.length > 0) continue;
      if (problem.code === "timed_out") throw new CheckError(`${origin} did not answer within ${timeout / 1000} s.`);
      throw new CheckError(unreachable(origin, problem.code));
    }
  }
  throw new CheckError(
    `${origin} does not answer as this interface does: none of ${seen.length} requests got JSON. Name the address that comes before /api/v2.\n${seen.map((line) => `  ${line}`).join("\n")}`,
  );
}
