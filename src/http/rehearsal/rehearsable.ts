import { ReadyForm, type ReadyResponse } from "../../declare/answers/ready-response.ts";
import { Failure, failures } from "../../declare/failures.ts";
import type { BoundOperation, Call } from "../../declare/operation.ts";
import Type from "../../declare/schema/type.ts";
import { type Scenario, scenarioHeader, scenarioName, scenarios } from "./scenarios.ts";

/**
 * Makes a look-up play the scenario of `Duba-Scenario`. For callers without a test key the header changes nothing, so
 * no header changes the response to a live key.
 */
export function rehearsable(operation: BoundOperation): BoundOperation {
  const { run, pick, ...rest } = operation;
  const { room } = rest;
  const headers = Type.Object({ ...operation.headers?.properties, [scenarioName]: Type.Optional(Type.String()) });
  if (pick) {
    const rehearsing = (call: Call) => {
      const ready = pick(call as Call<never, never>, room, operation.id);
      const asked = askedFor(call);
      return asked ? readyAs(ready, ...asked) : ready;
    };
    return { ...rest, headers, pick: rehearsing } as BoundOperation;
  }
  const rehearsing = async (call: Call) => {
    const asked = askedFor(call);
    if (!asked) return run(call as Call<never, never>, room);
    const [name, { delay, change, headers }] = asked;
    if (delay) await later(delay);
    const result = await run(call as Call<never, never>, room);
    const answer = "answer" in result ? (result.answer as object) : result;
    return {
      answer: change ? changedBy(asked, answer) : answer,
      headers: { ...headers?.(Date.now()), [scenarioHeader]: name },
    };
  };
  return { ...rest, headers, run: rehearsing } as BoundOperation;
}

/**
 * Returns the scenario that a request with a test key chooses. Throws the scenario's failure, or `malformed_request`
 * for an unknown scenario.
 */
function askedFor({ caller, headers }: Call): [name: string, scenario: Scenario] | undefined {
  const name = (headers as Record<string, string>)[scenarioName];
  if (caller?.mode !== "test" || name === undefined) return undefined;
  const scenario = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
  if (!scenario)
    throw new Failure("malformed_request", `${scenarioHeader} must be one of ${Object.keys(scenarios).join(", ")}.`);
  const { failure } = scenario;
  if (failure) {
    const { code, retryAfter, headers } = failure;
    const own = { ...headers, [scenarioHeader]: name };
    const message = `${failures[code].cause} Rehearsed: the request has ${scenarioHeader}: ${name}.`;
    throw new Failure(code, message, { rehearsed: true, headers: own, ...(retryAfter ? { retryAfter } : {}) });
  }
  return [name, scenario];
}

function readyAs(ready: ReadyResponse, name: string, scenario: Scenario): ReadyResponse {
  const { delay, change, headers } = scenario;
  return {
    etag: change ? ready.etag.replace(/"$/, `-${name}"`) : ready.etag,
    modifiedAt: change ? ready.modifiedAt + 1_000 : ready.modifiedAt,
    async form(encoding, shared) {
      if (delay) await later(delay);
      const form = await ready.form(change ? "identity" : encoding, shared);
      const lines = new Map(pairs(form.headers));
      if (change) {
        lines.set("ETag", this.etag).set("Last-Modified", new Date(this.modifiedAt).toUTCString());
        lines.set("Duba-Catalogue-Revision", String(Number(lines.get("Duba-Catalogue-Revision")) + 1));
      }
      for (const [header, value] of Object.entries(headers?.(Date.now()) ?? {})) lines.set(header, value);
      lines.set(scenarioHeader, name).set("Vary", `${lines.get("Vary")}, ${scenarioHeader}`);
      const body = change
        ? Buffer.from(JSON.stringify(changedBy([name, scenario], JSON.parse(form.body.toString()))))
        : form.body;
      lines.set("Content-Length", String(body.length));
      return new ReadyForm(body, [...lines].flat());
    },
  };
}

function changedBy([name, { change }]: [name: string, scenario: Scenario], answer: object): object {
  const changed = change!(answer) as object;
  if (JSON.stringify(changed) !== JSON.stringify(answer)) return changed;
  throw changesNothing(`${scenarioHeader}: ${name} changes nothing in this answer.`);
}

/**
 * Returns a failure for a scenario without effect. After a usual response, the caller would believe that the scenario
 * was rehearsed.
 */
export function changesNothing(sentence: string): Failure {
  return new Failure("malformed_request", `${sentence} Leave the header out.`);
}

/** Name and value of each header of a flat list. */
function* pairs(flat: readonly string[]): Generator<[string, string]> {
  for (let at = 0; at < flat.length; at += 2) yield [flat[at]!, flat[at + 1]!];
}

/** Resolves after these milliseconds. The timer does not keep a stopping process alive. */
function later(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds).unref());
}
