import type { IncomingMessage } from "node:http";
import { recent } from "../../runtime/recent.ts";
import { type Accepted, hasBody } from "./input.ts";

const MOST_TARGETS = 5_000;
/** No honest client sends a longer one; the limit bounds the memory. */
const LONGEST_TARGET = 256;

/**
 * A target that led to a ready response: whoever asks for it again needs no router and no reading of the query string.
 */
export interface KnownTarget<Serve> {
  readonly serve: Serve;
  readonly accepted: Accepted;
}

/** The targets of GET requests without a body that led to a ready response, as they were sent. */
export class KnownTargets<Serve> {
  readonly #targets = recent<KnownTarget<Serve>>(MOST_TARGETS);

  of(request: IncomingMessage): KnownTarget<Serve> | undefined {
    return request.method === "GET" && !hasBody(request) ? this.#targets.get(request.url!) : undefined;
  }

  remember({ method, url }: IncomingMessage, known: KnownTarget<Serve>): void {
    if (method === "GET" && url!.length <= LONGEST_TARGET) this.#targets.set(url!, known);
  }
}
