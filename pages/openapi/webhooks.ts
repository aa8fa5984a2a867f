import type { TSchema } from "typebox";
import { type EventType, eventTypes } from "../../src/declare/event.ts";
import { modeHeader, standInMode } from "../../src/declare/operation.ts";
import { firstVersion } from "../../src/declare/versions.ts";
import { EventBody } from "../../src/storage/events/event-body.ts";
import { type JsonObject, jsonSchema, ref, sinceOf } from "./schema.ts";

const header = (name: string, description: string, example: string): JsonObject => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example,
});

/** The headers of a delivery: those of Standard Webhooks, and the mark of a rehearsal. */
export const webhookParameters: JsonObject = {
  "webhook-id": header(
    "webhook-id",
    "Id of the event: it stays the same when it is sent again.",
    "evt_Vn3bGq0sJ1mTz5xKc8Lw",
  ),
  "webhook-timestamp": header(
    "webhook-timestamp",
    "Seconds since 1970. Refuse a time more than 5 minutes from yours.",
    "1793525400",
  ),
  "webhook-signature": header(
    "webhook-signature",
    "`v1,` and the HMAC-SHA-256 of id, time and body under the secret of the endpoint, in base64; " +
      "several during a change of the secret.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
  [modeHeader]: {
    ...header(
      modeHeader,
      "`stand-in` with a live event of a service that rehearses: its people are invented. Other events lack it.",
      standInMode,
    ),
    required: false,
    schema: { type: "string", enum: [standInMode] },
  },
};

/** The request that an account's endpoint gets, by type of event. */
export function webhooks(): Record<string, { post: JsonObject }> {
  const bodies = (EventBody as unknown as { anyOf: (TSchema & { properties: { type: { const: EventType } } })[] })
    .anyOf;
  return Object.fromEntries(
    bodies.map((body) => {
      const type = body.properties.type.const;
      const { summary, since = firstVersion, example: data } = eventTypes[type];
      const example = {
        id: "evt_Vn3bGq0sJ1mTz5xKc8Lw",
        type,
        timestamp: "2026-11-01T09:30:00.000Z",
        mode: "live",
        data,
      };
      const post = {
        operationId: `receive.${type}`,
        summary,
        description: `${summary} The page [Events](/docs/events) says how deliveries are signed and repeated.`,
        tags: ["Events"],
        ...sinceOf(since),
        security: [],
        parameters: Object.keys(webhookParameters).map((name) => ref("parameters", name)),
        requestBody: { required: true, content: { "application/json": { schema: jsonSchema(body), example } } },
        responses: { "2XX": { description: "You have it. Duba sends it again after any other answer." } },
      };
      return [type, { post }] as const;
    }),
  );
}
