import { optionalField } from "../../../declare/fields.ts";
import { operation } from "../../../declare/operation.ts";
import Type from "../../../declare/schema/type.ts";
import { resend } from "../deliveries.ts";
import type { EventsRoom } from "../events.ts";
import { asFailure, changeBy, exampleDelivery, exampleEndpoint, idField, ofEndpoints } from "./endpoint-answer.ts";

export const resendEvents = operation({
  ...ofEndpoints,
  id: "resendEvents",
  method: "POST",
  path: "/api/v2/events/endpoints/{id}/resend",
  summary: "Send events to a webhook endpoint again",
  alsoCalled: ["resendwebhook", "redeliver"],
  description:
    "Sends all events that are dead for an endpoint again, or the one that you name, also if it was delivered. " +
    "They go to the end of the queue, in their old order, and Duba tries for 3 more days. " +
    "An endpoint that is off is on again. An event that waits stays where it is.",
  carriage: "body",
  input: Type.Object({
    id: idField,
    event: optionalField({
      pattern: "^evt_[\\w-]{1,40}$",
      description: "Id of an event. Unless given: all that are dead.",
      problem: "must be the id of an event, which begins with evt_",
      example: exampleDelivery.event,
    }),
  }),
  answer: Type.Object({
    success: Type.Literal(true),
    status: Type.Literal("success"),
    message: Type.String(),
    data: Type.Object(
      { events: Type.Integer({ description: "How many events wait for the endpoint again" }) },
      { title: "Resent" },
    ),
  }),
  failures: ["endpoint_not_found", "event_not_found"],
  examples: [
    {
      summary: "All that are dead",
      input: { id: exampleEndpoint.id },
      answer: { success: true, status: "success", message: "3 events wait again", data: { events: 3 } },
    },
  ],
  run: async ({ input: { id, event }, caller }, room: EventsRoom) => {
    const wanted = { endpoint: id, owner: caller!, event };
    const events = (await asFailure(resend(changeBy(room, caller!), wanted, room.now()))) ?? 0;
    return {
      success: true as const,
      status: "success" as const,
      message: `${events} ${events === 1 ? "event waits" : "events wait"} again`,
      data: { events },
    };
  },
});
