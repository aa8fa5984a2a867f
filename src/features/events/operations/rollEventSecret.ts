import { overlapTime } from "../../../declare/duration.ts";
import { Failure } from "../../../declare/failures.ts";
import { optionalField } from "../../../declare/fields.ts";
import { operation } from "../../../declare/operation.ts";
import Type from "../../../declare/schema/type.ts";
import { rollSecret } from "../endpoints.ts";
import type { EventsRoom } from "../events.ts";
import {
  asFailure,
  changeBy,
  EventEndpoint,
  endpointOf,
  exampleEndpoint,
  exampleSecret,
  idField,
  ofEndpoints,
  secretMember,
} from "./endpoint-answer.ts";

const usualOverlap = "24h";

export const rollEventSecret = operation({
  ...ofEndpoints,
  id: "rollEventSecret",
  method: "POST",
  path: "/api/v2/events/endpoints/{id}/secret",
  summary: "Give a webhook endpoint a new secret",
  alsoCalled: ["rollsecret", "rotatesecret", "webhooksecret"],
  description:
    "Gives an endpoint a new secret, which is shown this once. For the overlap each delivery carries a signature " +
    "by both, so that you can change the secret of the receiver at any time in between. " +
    "A second one within the overlap ends the oldest secret at once.",
  carriage: "body",
  input: Type.Object({
    id: idField,
    overlap: optionalField({
      pattern: "^\\d{1,6}(?:ms|s|min|h|d)$",
      description: `How long the old secret signs too, 30d at most; ${usualOverlap} unless given. 0s: it ends at once.`,
      problem: `must be ${overlapTime.form}`,
      example: "1h",
    }),
  }),
  answer: Type.Object({
    success: Type.Literal(true),
    status: Type.Literal("success"),
    message: Type.String(),
    data: EventEndpoint,
    secret: secretMember,
    old_secret_ends_at: Type.String({ format: "date-time", description: "Until when the old secret signs too, UTC" }),
  }),
  failures: ["endpoint_not_found"],
  examples: [
    {
      summary: "An hour to change the receiver",
      input: { id: exampleEndpoint.id, overlap: "1h" },
      answer: {
        success: true,
        status: "success",
        message: "Secret rolled",
        data: exampleEndpoint,
        secret: exampleSecret,
        old_secret_ends_at: "2026-11-01T10:30:00.000Z",
      },
    },
  ],
  run: async ({ input: { id, overlap = usualOverlap }, caller }, room: EventsRoom) => {
    const wanted = { id, owner: caller!, overlap: overlapOf(overlap) };
    const { row, secret, formerEndsAt } = await asFailure(rollSecret(changeBy(room, caller!), wanted));
    return {
      success: true as const,
      status: "success" as const,
      message: "Secret rolled",
      data: endpointOf(row),
      secret,
      old_secret_ends_at: new Date(formerEndsAt).toISOString(),
    };
  },
});

function overlapOf(text: string): number {
  const overlap = overlapTime.read(text);
  if (overlap !== undefined) return overlap;
  const message = `overlap must be ${overlapTime.form}.`;
  throw new Failure("validation_failed", message, { fields: [{ field: "overlap", message }] });
}
