import { operation } from "../../../declare/operation.ts";
import Type from "../../../declare/schema/type.ts";
import { removeEndpoint } from "../endpoints.ts";
import type { EventsRoom } from "../events.ts";
import {
  asFailure,
  changeBy,
  EventEndpoint,
  endpointOf,
  exampleEndpoint,
  idField,
  ofEndpoints,
} from "./endpoint-answer.ts";

export const removeEventEndpoint = operation({
  ...ofEndpoints,
  id: "removeEventEndpoint",
  method: "DELETE",
  path: "/api/v2/events/endpoints/{id}",
  summary: "Remove a webhook endpoint",
  alsoCalled: ["removewebhook", "deletewebhook"],
  description: "Removes an endpoint of your account in the mode of your key, and all deliveries that wait for it.",
  carriage: "query",
  input: Type.Object({ id: idField }),
  answer: Type.Object({
    success: Type.Literal(true),
    status: Type.Literal("success"),
    message: Type.String(),
    data: EventEndpoint,
  }),
  failures: ["endpoint_not_found"],
  examples: [
    {
      summary: "An endpoint that is no longer needed",
      input: { id: exampleEndpoint.id },
      answer: { success: true, status: "success", message: "Endpoint removed", data: exampleEndpoint },
    },
  ],
  run: async ({ input: { id }, caller }, room: EventsRoom) => {
    const row = await asFailure(removeEndpoint(changeBy(room, caller!), { id, owner: caller! }));
    return {
      success: true as const,
      status: "success" as const,
      message: "Endpoint removed",
      data: endpointOf(row),
    };
  },
});
