import { feedInput, feedPlace, limitOf } from "../../../declare/answers/feed.ts";
import { eventTypes } from "../../../declare/event.ts";
import { operation } from "../../../declare/operation.ts";
import Type from "../../../declare/schema/type.ts";
import { EventBody } from "../../../storage/events/event-body.ts";
import { eventsAfter } from "../event-list.ts";
import { eventCursor } from "../event-places.ts";
import type { EventsRoom } from "../events.ts";

const example: EventBody = {
  id: "evt_Vn3bGq0sJ1mTz5xKc8Lw",
  type: "verification.settled",
  timestamp: "2026-11-01T09:30:00.000Z",
  mode: "live",
  data: eventTypes["verification.settled"].example,
};

/** A cursor that belongs to no account. */
const exampleNext = "kV3rT0yPq8mWzX2cB5nL7dHs9fGjA4uEiO6wRtYbKp1vQxZsMeNhUgJaCoDlFiIkSrTyPq8m";

export const listEvents = operation({
  id: "listEvents",
  method: "GET",
  path: "/api/v2/events",
  summary: "Events of your account",
  alsoCalled: ["webhooks", "webhook"],
  description:
    "Lists the events that webhooks deliver, with the same bodies, in the mode of your key. Begin without `after`: " +
    "nothing is listed, and `next` is where you stand, in another text each time. " +
    "From then on ask with the last `next`. `after=0` lists all events that are kept. " +
    "An `after` of another history, as after a restore of this service, is refused: begin anew.",
  group: "Events",
  access: "credential",
  scope: null,
  limit: "catalogue",
  carriage: "query",
  input: feedInput("events", { cursor: eventCursor, example: "0" }),
  answer: Type.Object({
    success: Type.Literal(true),
    status: Type.Literal("success"),
    message: Type.String({ description: "Outcome in words" }),
    data: Type.Array(EventBody, { description: "Events after the cursor, oldest first" }),
    ...feedPlace,
  }),
  failurePayload: () => ({ data: [] }),
  examples: [
    {
      summary: "A verification that got its outcome late",
      input: { after: "0", limit: "1" },
      answer: {
        success: true,
        status: "success",
        message: "Events found",
        data: [example],
        next: exampleNext,
        more: true,
      },
    },
  ],
  run: async ({ input, caller }, room: EventsRoom) => {
    const found = await eventsAfter(room, { after: input.after, limit: limitOf(input) }, caller!);
    const message = found.data.length === 0 ? "No events" : "Events found";
    return { success: true as const, status: "success" as const, message, ...found };
  },
});
