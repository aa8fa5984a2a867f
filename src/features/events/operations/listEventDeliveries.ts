import { feedInput, feedPlace, limitOf } from "../../../declare/answers/feed.ts";
import { operation } from "../../../declare/operation.ts";
import Type from "../../../declare/schema/type.ts";
import { deliveriesAfter } from "../deliveries.ts";
import { findEndpoint } from "../endpoints.ts";
import { eventCursor } from "../event-places.ts";
import type { EventsRoom } from "../events.ts";
import {
  asFailure,
  deliveryOf,
  exampleDelivery,
  exampleEndpoint,
  idField,
  ofEndpoints,
  WebhookDelivery,
} from "./endpoint-answer.ts";

const { properties: feedMembers } = feedInput("deliveries", { cursor: eventCursor, example: "0" });

/** A cursor that belongs to no account. */
const exampleNext = "kV3rT0yPq8mWzX2cB5nL7dHs9fGjA4uEiO6wRtYbKp1vQxZsMeNhUgJaCoDlFiIkSrTyPq8m";

export const listEventDeliveries = operation({
  ...ofEndpoints,
  id: "listEventDeliveries",
  method: "GET",
  path: "/api/v2/events/endpoints/{id}/deliveries",
  summary: "Deliveries to a webhook endpoint",
  alsoCalled: ["webhookdeliveries"],
  description:
    "Lists what became of the events for an endpoint, oldest event first. Without `after` it lists the newest. " +
    "With the `next` of an earlier answer it lists those that came since, and with `after=0` all that are kept. " +
    "A delivery that waits changes later: ask again from before it.",
  carriage: "query",
  input: Type.Object({ id: idField, ...feedMembers }),
  answer: Type.Object({
    success: Type.Literal(true),
    status: Type.Literal("success"),
    message: Type.String(),
    data: Type.Array(WebhookDelivery, { description: "Deliveries, oldest event first" }),
    ...feedPlace,
  }),
  failures: ["endpoint_not_found"],
  failurePayload: () => ({ data: [] }),
  examples: [
    {
      summary: "One that is tried again",
      input: { id: exampleEndpoint.id, limit: "1" },
      answer: {
        success: true,
        status: "success",
        message: "Deliveries found",
        data: [exampleDelivery],
        next: exampleNext,
        more: false,
      },
    },
  ],
  run: async ({ input, caller }, room: EventsRoom) => {
    const row = await asFailure(findEndpoint(room.db, input.id, caller!));
    const place = { accountId: caller!.accountId, endpoint: row.id, after: input.after, limit: limitOf(input) };
    const { rows, ...feed } = await deliveriesAfter(room, place);
    const data = rows.map((delivery) => deliveryOf(delivery, row, room.now()));
    const message = data.length === 0 ? "No deliveries" : "Deliveries found";
    return { success: true as const, status: "success" as const, message, data, ...feed };
  },
});
