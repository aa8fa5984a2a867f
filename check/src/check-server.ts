import type { Agent } from "node:http";
import { NoResponse, Server } from "./ask-server.ts";
import { CheckError } from "./check-error.ts";
import { everyOperation, listCorporateBundles, lookupWaecAmount, withoutPrefix } from "./document.ts";
import { isObject } from "./judge-response.ts";
import { redactCredentials } from "./masked-exchange.ts";
import type { Need, Point } from "./point.ts";
import { everyPoint } from "./points/index.ts";
import { basicOf } from "./points/token-points.ts";
import { type Result, refuseStranger, runPoints } from "./run-points.ts";
import { CheckSession, type Values } from "./session.ts";

export interface CheckRun {
  url: string;
  /** Empty: none. */
  key: string;
  /** Key of another account; empty: none. */
  otherKey: string;
  /** Beginnings of ids; empty: all. */
  only: readonly string[];
  liveSafe: boolean;
  /** Whether to check Duba's own promises as well, beyond the interface. */
  duba: boolean;
  /** Input values, by member. `bvn` and `phone` of a person replace the numbers of the sandbox. */
  values: Values;
  /** Milliseconds. */
  timeout: number;
  progress: (done: number, all?: number) => void;
  /** Says why no connection works, by Node's code of the error. */
  unreachable: (origin: string, code: string) => string;
  /** Opens connections for `http:` or `https:`, and limits everything of a response but its body. */
  agentOf: (protocol: string) => Agent;
}

export { CheckError };

/** Invented: the sandbox verifies them. */
const inventedPerson = { bvn: "22000000017", phone: "08000000017", amount: "100" };

/** Checks one server. `seconds` and `waited` are seconds, to the tenth. */
export async function checkServer(run: CheckRun): Promise<{ results: Result[]; seconds: number; waited: number }> {
  const begun = performance.now();
  const { key, otherKey, timeout, progress } = run;
  const { url, prefix } = withoutPrefix(run.url);
  const points = chosenPoints(run);
  const { origin } = new URL(url);
  const server = new Server(new URL(url), timeout, run.agentOf(new URL(url).protocol));
  const values = { ...inventedPerson, ...run.values };
  const session = new CheckSession(server, key, values, { prefix, otherKey });
  try {
    const openLists = everyOperation.filter(({ documented, method }) => documented && method === "GET");
    await refuseStranger(session, openLists, { origin, timeout }, run.unreachable);
    if (key !== "") await refuseWrongKey(session, origin, key, "");
    if (otherKey !== "") await refuseWrongKey(session, origin, otherKey, " of --other-key");
    if (key !== "" && !run.liveSafe) await adoptAmount(session);
    const results = await runPoints(points, session, {
      origin,
      timeout,
      progress,
      missing: missingIn(run),
      secrets: [key, basicOf(key), otherKey, values.bvn, values.phone].filter((secret) => secret !== ""),
    });
    return { results, seconds: tenths(performance.now() - begun), waited: tenths(session.waited) };
  } finally {
    server.close();
  }
}

/** Throws a `CheckError` if the server refuses a key, because each point that needs the key would report that again. */
async function refuseWrongKey(session: CheckSession, origin: string, key: string, which: string): Promise<void> {
  try {
    const { status, json } = await session.call(listCorporateBundles, { authorization: `Bearer ${key}` });
    if (status !== 401) return;
    const said = typeof json?.message === "string" ? `: ${redactCredentials(json.message)}` : ".";
    throw new CheckError(`${origin} refuses the API key${which} with HTTP 401${said} Send another one.`);
  } catch (problem) {
    // If no response comes, a point of the check reports that.
    if (!(problem instanceof NoResponse)) throw problem;
  }
}

/** Where a server names the amount of a verification, we send that. */
async function adoptAmount(session: CheckSession): Promise<void> {
  try {
    const { status, json } = await session.call(lookupWaecAmount);
    const amount = isObject(json?.data) ? json.data.amount : undefined;
    if (status === 200 && typeof amount === "string") session.setValue("amount", amount);
  } catch (problem) {
    // The look-up is not part of the documented interface, so a server need not answer it.
    if (!(problem instanceof NoResponse)) throw problem;
  }
}

/** Throws a `CheckError` for a text of `only` with which no id begins. */
function chosenPoints({ duba, only }: CheckRun): Point[] {
  const all = everyPoint(everyOperation).filter(({ part }) => duba || part === "interface");
  const strange = only.find((beginning) => !all.some(({ id }) => id.startsWith(beginning)));
  if (strange !== undefined)
    throw new CheckError(
      `No point has an id that begins with the text of --only. Points begin with ${[...new Set(all.map(({ id }) => id.split(".")[0]))].join(", ")}.`,
      true,
    );
  return only.length === 0 ? all : all.filter(({ id }) => only.some((beginning) => id.startsWith(beginning)));
}

function missingIn({ key, otherKey, liveSafe, values }: CheckRun): Set<Need> {
  const missing = new Set<Need>();
  if (key === "") missing.add("key");
  if (otherKey === "") missing.add("other_key");
  if (liveSafe) missing.add("verification");
  if (liveSafe || values.bvn !== undefined) missing.add("sandbox");
  return missing;
}

const tenths = (milliseconds: number) => Math.round(milliseconds / 100) / 10;
