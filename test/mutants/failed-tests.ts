import type { EventData } from "node:test";

type Event = { type: "test:complete"; data: EventData.TestComplete } | { type: "other" };

/** A reporter for `node --test`. Writes the name of a failed test at once, even if earlier tests still run. */
export default async function* failedTests(events: AsyncIterable<Event>): AsyncGenerator<string> {
  for await (const event of events)
    if (event.type === "test:complete" && !event.data.details.passed) yield `${event.data.name}\n`;
}
