import { operation } from "../../../declare/operation.ts";
import Type from "../../../declare/schema/type.ts";
import { findEndpoint } from "../endpoints.ts";
import type { EventsRoom } from "../events.ts";
import { sendTest } from "../send-test.ts";
import { asFailure, exampleEndpoint, idField, ofEndpoints, sentTo } from "./endpoint-answer.ts";

/** Milliseconds of waiting for the endpoint, so that the response comes before clients give up. */
const patience = 8_000;

export const testEventEndpoint = operation({
  ...ofEndpoints,
  id: "testEventEndpoint",
  limit: { name: "endpoint_test", count: 10, seconds: 60 },
  method: "POST",
  path: "/api/v2/events/endpoints/{id}/test",
  summary: "Send a test to a webhook endpoint",
  alsoCalled: ["testwebhook"],
  description:
    "Sends `endpoint.test` to an endpoint once, signed like all deliveries, and says what came back within 8 " +
    "seconds. It is no event of the account, and Duba does not repeat it. " +
    "An account may send 10 a minute in each mode.",
  carriage: "query",
  input: Type.Object({ id: idField }),
  answer: Type.Object({
    success: Type.Literal(true),
    status: Type.Literal("success"),
    message: Type.String(),
    data: Type.Object(
      {
        delivered: Type.Boolean({ description: "Whether the endpoint answered with a status from 200 to 299" }),
        status: Type.Union([Type.Integer(), Type.Null()], { description: "HTTP status of its answer" }),
        outcome: Type.String({
          description: "`answered`, `timed_out`, `no_public_address`, or a code of the connection",
        }),
        milliseconds: Type.Integer(),
      },
      { title: "EndpointTest" },
    ),
  }),
  failures: ["endpoint_not_found"],
  examples: [
    {
      summary: "An endpoint that works",
      input: { id: exampleEndpoint.id },
      answer: {
        success: true,
        status: "success",
        message: "The endpoint took the test",
        data: { delivered: true, status: 204, outcome: "answered", milliseconds: 87 },
      },
    },
  ],
  run: async ({ input: { id }, caller }, { db, keyring, networks, now }: EventsRoom) => {
    const row = await asFailure(findEndpoint(db, id, caller!));
    const options = { keyring: keyring.current, networks, now: now(), timeout: patience };
    const { delivered, outcome, milliseconds } = await sendTest(row, options);
    return {
      success: true as const,
      status: "success" as const,
      message: `The endpoint ${delivered ? "took" : "did not take"} the test`,
      data: { delivered, ...sentTo(outcome), milliseconds },
    };
  },
});
