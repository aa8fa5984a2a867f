import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { Duba, DubaFailure, verifiedEvent } from "../../client/src/duba.ts";
import { snake } from "./client-python.ts";
import { camel } from "./client-source.ts";

/** One call of a client. */
export interface ClientCall {
  url: string;
  key?: string | undefined;
  retries?: number;
  /** Seconds. */
  timeout?: number;
  /** The name of an operation, `events`, which makes several requests, or `verifiedEvent`, which makes none. */
  method: string;
  /**
   * The input by names on the wire, `idempotency-key` included. For `events`: `cursor`, and the number of events to
   * `take`.
   */
  given?: Record<string, unknown>;
}

/** The answer or the failure of a call. `other`: any other exception, or the early end of the client's process. */
export interface ClientOutcome {
  // biome-ignore lint/suspicious/noExplicitAny: Tests read any answer.
  answer?: any;
  failure?: { message: string; error: Record<string, unknown> };
  other?: string;
}

export type Client = (call: ClientCall) => Promise<ClientOutcome>;

/** A program in another language that reads one call per line and prints its outcome. */
interface ClientProgram {
  command: string;
  words: readonly string[];
  spell: (name: string) => string;
  spellMember: (name: string) => string;
}

const programs: Record<string, ClientProgram> = {
  PHP: {
    command: "php",
    spell: (name) => name,
    spellMember: camel,
    words: [
      "-r",
      // PHP frameworks turn warnings into exceptions like this.
      `set_error_handler(fn ($level, $text) => throw new ErrorException($text), E_ALL);
      require 'docs/clients/duba.php';
      while ($line = fgets(STDIN)) {
        ['method' => $method, 'given' => $given] = $call = json_decode($line, true);
        try {
          $duba = new Duba($call['url'], $call['key'] ?? null, $call['retries'] ?? 3, $call['timeout'] ?? 30);
          if ($method === 'events') {
            $feed = $duba->events($given['cursor'] ?? null);
            $events = [];
            foreach ($feed as $event) {
              $events[] = $event;
              if (count($events) === ($given['take'] ?? 0)) break;
            }
            $told = ['answer' => ['events' => $events, 'cursor' => $feed->cursor]];
          } else {
            $told = ['answer' => $duba->{$method}(...$given)];
          }
        } catch (DubaFailure $failure) {
          $told = ['failure' => ['message' => $failure->getMessage(), 'error' => $failure->error]];
        } catch (Throwable $other) {
          $told = ['other' => get_class($other) . ': ' . $other->getMessage()];
        }
        echo json_encode($told), PHP_EOL;
      }`,
    ],
  },
  Python: {
    command: "python3",
    spell: snake,
    spellMember: snake,
    words: [
      "-Bc",
      `import json, sys
sys.path.insert(0, "docs/clients")
from duba import Duba, DubaFailure, verified_event
for line in sys.stdin:
    call = json.loads(line)
    method, given = call["method"], call["given"]
    try:
        duba = Duba(call["url"], call.get("key"), call.get("retries", 3), call.get("timeout", 30))
        if method == "events":
            feed = duba.events(given.get("cursor"))
            events = []
            for event in feed:
                events.append(event)
                if len(events) == given.get("take"):
                    break
            told = {"answer": {"events": events, "cursor": feed.cursor}}
        elif method == "verified_event":
            told = {"answer": verified_event(**given)}
        else:
            told = {"answer": getattr(duba, method)(**given)}
    except DubaFailure as failure:
        told = {"failure": {"message": str(failure), "error": failure.error}}
    except Exception as other:
        told = {"other": f"{type(other).__name__}: {other}"}
    print(json.dumps(told), flush=True)`,
    ],
  },
};

/**
 * Clients by language: `open` starts one, and `skip` gives the reason if this machine lacks the language. A client
 * makes one call at a time.
 */
export const clients: { name: string; skip: string | false; open(t: { after(end: () => void): void }): Client }[] = [
  { name: "TypeScript", skip: false, open: () => typed },
  ...Object.entries(programs).map(([name, program]) => ({
    name,
    skip: spawnSync(program.command, ["--version"]).status !== 0 && (`${name} is not installed` as const),
    open: (t: { after(end: () => void): void }) => opened(program, t),
  })),
];

function opened({ command, words, spell, spellMember }: ClientProgram, t: { after(end: () => void): void }): Client {
  const child = spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => child.kill());
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return async ({ method, given = {}, ...options }) => {
    const members = Object.entries(given).map(([name, value]) => [spellMember(name), value]);
    const call = { ...options, method: spell(method), given: Object.fromEntries(members) };
    child.stdin.write(`${JSON.stringify(call)}\n`);
    const { value = '{"other":"it ended"}' } = await lines.next();
    return JSON.parse(value);
  };
}

async function typed({ url, key, retries = 3, timeout, method, given = {} }: ClientCall): Promise<ClientOutcome> {
  try {
    if (method === "verifiedEvent") {
      const { body, headers, secret } = given as Record<string, never>;
      return { answer: await verifiedEvent(body!, headers!, secret!) };
    }
    const duba = new Duba({ url, key, retries, ...(timeout && { timeout: timeout * 1000 }) });
    if (method === "events") {
      const feed = duba.events({ cursor: given.cursor as string | undefined });
      const events = [];
      for await (const event of feed) {
        events.push(event);
        if (events.length === given.take) break;
      }
      return { answer: { events, cursor: feed.cursor } };
    }
    const { "idempotency-key": idempotencyKey, ...input } = given;
    const words = Object.keys(input).length > 0 ? [input, { idempotencyKey }] : [];
    const outcome = await (duba as never as Record<string, (...words: unknown[]) => Promise<never>>)[method]!(...words);
    const { success, message, error } = outcome as { success: boolean; message: string; error: never };
    return success ? { answer: outcome } : { failure: { message, error } };
  } catch (error) {
    if (error instanceof DubaFailure) return { failure: { message: error.message, error: { ...error.error } } };
    return { other: String(error) };
  }
}
