import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { CheckedResponse, NoResponse, Server, ServerRequest } from "./ask-server.ts";
import { type Operation, pathPrefix, pathUnder } from "./document.ts";

/** Values of members of the requests, by name, in place of the document's examples. */
export type Values = Readonly<Record<string, string>>;

/** How a request differs from the documented one of its operation. */
export interface RequestChanges {
  method?: string;
  /** Values that replace the documented values; null leaves a member out. */
  members?: Readonly<Record<string, unknown>>;
  /** The part of the request with the members. Default: as in the interface document. */
  carriage?: "query" | "body";
  headers?: Readonly<Record<string, string>>;
  /** In place of the body. */
  body?: string;
  /** The value of `Authorization`; null for none. Default: the key. */
  authorization?: string | null;
}

/** A request, and the response unless there was none. */
export interface ServerExchange {
  asked: ServerRequest;
  answered?: CheckedResponse;
}

/** How long a rate limit of the server may make us wait, in seconds. */
const mostPatience = 70;

/** One check of one server. Sends each request once, and records the exchanges since the last `begin`. */
export class CheckSession {
  readonly #server: Pick<Server, "ask">;
  readonly #key: string;
  readonly #prefix: string;
  #values: Values;
  readonly #answers = new Map<string, CheckedResponse>();
  #exchanges: ServerExchange[] = [];
  #waited = 0;
  /** API key of another account; empty: none. */
  readonly otherKey: string;
  /** Names the verification that most points look at. */
  readonly idempotencyKey: string;

  /** `prefix`: the first part of the server's paths. */
  constructor(
    server: Pick<Server, "ask">,
    key: string,
    values: Values,
    { prefix = pathPrefix, otherKey = "", idempotencyKey = randomUUID() as string } = {},
  ) {
    this.#server = server;
    this.#key = key;
    this.#values = values;
    this.#prefix = prefix;
    this.otherKey = otherKey;
    this.idempotencyKey = idempotencyKey;
  }

  get key(): string {
    return this.#key;
  }

  /** Milliseconds that we waited because the server limits us. */
  get waited(): number {
    return this.#waited;
  }

  /** Every failure that the server answered with. */
  failures(): CheckedResponse[] {
    return [...this.#answers.values()].filter(({ status }) => status >= 400);
  }

  /** Begins a new list of exchanges, and returns it. Each further request adds its exchange to that list. */
  begin(): ServerExchange[] {
    this.#exchanges = [];
    return this.#exchanges;
  }

  /** The value that requests of the check have for a member. */
  value(member: string): string {
    return this.#values[member] ?? "";
  }

  /** Gives requests another value for a member from now on. */
  setValue(member: string, value: string): void {
    this.#values = { ...this.#values, [member]: value };
  }

  /** Sends the request, unless an equal request was answered before. Throws `NoResponse`. */
  async ask(meant: ServerRequest): Promise<CheckedResponse> {
    const asked = { ...meant, path: pathUnder(this.#prefix, meant.path) };
    const request = JSON.stringify(asked);
    const exchange: ServerExchange = { asked };
    this.#exchanges.push(exchange);
    const answered = this.#answers.get(request) ?? (await this.#patiently(asked));
    this.#answers.set(request, answered);
    exchange.answered = answered;
    return answered;
  }

  /** Asks as the operation says. */
  call(operation: Operation, changes: RequestChanges = {}): Promise<CheckedResponse> {
    return this.ask(this.request(operation, changes));
  }

  /** The JSON object of a documented answer. Throws `Blocked` if there is none. */
  async answerOf(operation: Operation, changes: RequestChanges = {}): Promise<Record<string, unknown>> {
    const { status, json } = await this.call(operation, changes);
    if (status !== 200 || json?.success !== true) throw new Blocked(`${operation.id}.answers`);
    return json;
  }

  request(operation: Operation, changes: RequestChanges): ServerRequest {
    const { carriage: usual, method: own } = operation;
    const { headers = {}, method = own, authorization = this.#key === "" ? null : `Bearer ${this.#key}` } = changes;
    const members = this.#membersOf(operation, changes.members ?? {});
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = String(members[name]);
      delete members[name];
      return encodeURIComponent(value);
    });
    const carriage = changes.carriage ?? usual;
    const query = carriage === "query" && Object.keys(members).length > 0 ? `?${queryOf(members)}` : "";
    const body = changes.body ?? (carriage === "body" ? JSON.stringify(members) : undefined);
    return {
      method,
      path: path + query,
      headers: {
        Accept: "application/json",
        "User-Agent": "duba-check",
        ...(authorization !== null && { Authorization: authorization }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...(operation.id.startsWith("verify") && { "Idempotency-Key": this.idempotencyKey }),
        ...headers,
      },
      body,
    };
  }

  #membersOf({ examples, required }: Operation, changed: RequestChanges["members"] & object) {
    const members: Record<string, unknown> = {};
    for (const [name, usual] of Object.entries(examples)) {
      const isSent = required.includes(name) || name === "provider";
      const value = name in changed ? changed[name] : isSent ? (this.#values[name] ?? usual) : null;
      if (value !== null) members[name] = value;
    }
    for (const [name, value] of Object.entries(changed)) if (value !== null) members[name] = value;
    return members;
  }

  /** Waits once if the server refuses because of its rate limit. */
  async #patiently(asked: ServerRequest): Promise<CheckedResponse> {
    const answered = await this.#server.ask(asked);
    const seconds = Number(answered.headers["retry-after"]);
    if (answered.status !== 429 || !(seconds <= mostPatience)) return answered;
    this.#waited += seconds * 1000;
    await wait(seconds * 1000);
    return this.#server.ask(asked);
  }
}

function queryOf(members: Readonly<Record<string, unknown>>): string {
  return new URLSearchParams(Object.entries(members).map(([name, value]) => [name, String(value)])).toString();
}

/** Why there was no response, for people. */
export function whyNoResponse(problem: NoResponse, timeout: number): string {
  if (problem.code === "timed_out") return `There was no whole answer within ${timeout / 1000} s.`;
  return "The connection ended before the whole answer had come.";
}

/** A point that cannot be judged, because an earlier point does not hold. */
export class Blocked extends Error {
  readonly by: string;

  constructor(by: string) {
    super(`It needs ${by}, which does not hold.`);
    this.by = by;
  }
}
