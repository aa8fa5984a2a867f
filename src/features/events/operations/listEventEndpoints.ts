import { operation } from "../../../declare/operation.ts";
import Type from "../../../declare/schema/type.ts";
import { lastTried } from "../deliveries.ts";
import { listEndpoints } from "../endpoints.ts";
import type { EventsRoom } from "../events.ts";
import {
  deliveryOf,
  endpointOf,
  exampleDelivery,
  exampleEndpoint,
  ListedEndpoint,
  ofEndpoints,
} from "./endpoint-answer.ts";

export const listEventEndpoints = operation({
  ...ofEndpoints,
  id: "listEventEndpoints",
  method: "GET",
  path: "/api/v2/events/endpoints",
  summary: "Your webhook endpoints",
  alsoCalled: ["webhookendpoints", "listwebhooks"],
  description:
    "Lists the endpoints of your account in the mode of your key, oldest first, without their secrets: " +
    "who made each, whether it is on, and what became of the last delivery. " +
    "Those that an operator made for your account are among them.",
  carriage: "query",
  input: Type.Object({}),
  answer: Type.Object({
    success: Type.Literal(true),
    status: Type.Literal("success"),
    message: Type.String(),
    data: Type.Array(ListedEndpoint, { description: "Endpoints, oldest first" }),
  }),
  examples: [
    {
      summary: "An endpoint whose receiver is away",
      answer: {
        success: true,
        status: "success",
        message: "Endpoints found",
        data: [{ ...exampleEndpoint, last_delivery: exampleDelivery }],
      },
    },
  ],
  run: async ({ caller }, { db, now }: EventsRoom) => {
    const { accountId, mode } = caller!;
    const rows = (await listEndpoints(db, accountId)).filter((row) => row.mode === mode);
    const data = [];
    for (const row of rows) {
      const last = await lastTried(db, row.id);
      data.push({ ...endpointOf(row), last_delivery: last ? deliveryOf(last, row, now()) : null });
    }
    const message = data.length === 0 ? "No endpoints" : "Endpoints found";
    return { success: true as const, status: "success" as const, message, data };
  },
});
