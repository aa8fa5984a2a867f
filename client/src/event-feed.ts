import { pause } from "./call.ts";
import type { DubaEvent, ListEventsAnswer, ListEventsFailure } from "./duba.ts";
import type { CallOptions } from "./options.ts";
import { type ClientFailure, clientFailure, DubaFailure } from "./outcome.ts";

export interface EventFeedOptions extends CallOptions {
  /**
   * Where to begin: the `cursor` of a feed, the `next` of `listEvents`, or `"0"` for the oldest event. Without it: now.
   */
  cursor?: string | undefined;
  /** Milliseconds until it asks again when there is no more. Without it, the feed then ends. */
  wait?: number;
}

type List = (
  input: { after?: string | undefined },
  options: CallOptions,
) => Promise<ListEventsAnswer | ListEventsFailure>;

/**
 * The events of your account, oldest first, for `for await`. `cursor` is the place after the last event that the feed
 * gave: store it once you have dealt with the event, and begin there the next time. With `wait` the feed goes on after
 * a failure that a retry may help; it throws any other failure as a `DubaFailure`. Your signal ends the feed.
 */
export class EventFeed implements AsyncIterable<DubaEvent> {
  /** Where to go on: text to store. */
  cursor: string | undefined;
  readonly #list: List;
  readonly #options: EventFeedOptions;

  constructor(list: List, options: EventFeedOptions) {
    const { wait } = options;
    if (wait !== undefined && !(wait > 0 && wait < 2 ** 31)) throw new TypeError("wait must be milliseconds above 0.");
    this.#list = list;
    this.#options = options;
    this.cursor = options.cursor;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<DubaEvent, void, void> {
    const { cursor: _, wait, ...options } = this.#options;
    for (;;) {
      // Within a page, the cursor names the page and the event that was given last.
      const [after, given] = this.cursor?.split(".") ?? [];
      const answer = await this.#list({ after }, options);
      const page = answer.success && !isPage(answer, after) ? noPage() : answer;
      if (page.success) {
        const { data, next, more } = page;
        for (const event of data.slice(data.findIndex(({ id }) => id === given) + 1)) {
          this.cursor = event === data.at(-1) ? next : `${after}.${event.id}`;
          yield event;
        }
        this.cursor = next;
        if (more) continue;
      } else if (page.error.code === "aborted") {
        return;
      } else if (wait === undefined || !page.error.retryable) {
        throw new DubaFailure(page);
      }
      if (wait === undefined) return;
      if (!(await pause(wait, options.signal))) return;
    }
  }
}

/** Whether a feed can go on from an answer to `after`: something other than Duba may answer anything. */
function isPage({ data, next, more }: Record<"data" | "next" | "more", unknown>, after: string | undefined): boolean {
  const areEvents = Array.isArray(data) && data.every((event) => typeof event?.id === "string");
  return areEvents && typeof next === "string" && typeof more === "boolean" && !(more && next === after);
}

function noPage(): ClientFailure {
  const about = "The answer (HTTP 200) is not a page of events. Check url, and what stands between.";
  const failure = clientFailure("unexpected_answer", about, true);
  failure.error.http_status = 200;
  return failure;
}
