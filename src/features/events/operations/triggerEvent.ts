import { accountEventTypes, eventTypes } from "../../../declare/event.ts";
import { Failure } from "../../../declare/failures.ts";
import { field } from "../../../declare/fields.ts";
import { operation } from "../../../declare/operation.ts";
import Type from "../../../declare/schema/type.ts";
import { EventBody, eventBodyOf } from "../../../storage/events/event-body.ts";
import type { EventsRoom } from "../events.ts";
import { mostRehearsed, rehearse } from "../rehearsed-events.ts";

const listed = accountEventTypes.join(", ");

export const triggerEvent = operation({
  id: "triggerEvent",
  method: "POST",
  path: "/api/v2/events/trigger",
  summary: "Rehearse an event",
  alsoCalled: ["triggerwebhook", "testevent"],
  description:
    "Makes an event of a type with invented data, for test keys only: `GET /api/v2/events` lists it, " +
    "and endpoints of the account's test mode get it. Its body has `rehearsed: true`. " +
    "No verification, charge or key changes. An account may make 10 a minute, and Duba keeps its " +
    `newest ${mostRehearsed}.`,
  group: "Events",
  access: "credential",
  scope: null,
  limit: { name: "event_trigger", count: 10, seconds: 60 },
  carriage: "body",
  input: Type.Object({
    type: field({
      pattern: `^(?:${accountEventTypes.map((type) => type.replace(".", "\\.")).join("|")})$`,
      description: `Type of the event: ${listed}.`,
      problem: `must be one of ${listed}`,
      example: "verification.reversed",
    }),
  }),
  answer: Type.Object({
    success: Type.Literal(true),
    status: Type.Literal("success"),
    message: Type.String(),
    data: EventBody,
  }),
  failures: ["insufficient_scope"],
  examples: [
    {
      summary: "A charge that is taken back",
      input: { type: "verification.reversed" },
      answer: {
        success: true,
        status: "success",
        message: "Event made",
        data: {
          id: "evt_Vn3bGq0sJ1mTz5xKc8Lw",
          type: "verification.reversed",
          timestamp: "2026-11-01T09:30:00.000Z",
          mode: "test",
          rehearsed: true,
          data: eventTypes["verification.reversed"].example,
        },
      },
    },
  ],
  run: async ({ input, caller }, { db, now }: EventsRoom) => {
    const { accountId, mode } = caller!;
    if (mode !== "test") throw new Failure("insufficient_scope", "Only a test key can rehearse events.");
    const type = accountEventTypes.find((each) => each === input.type)!;
    const row = await rehearse(db, { type, accountId, at: now() });
    return { success: true as const, status: "success" as const, message: "Event made", data: eventBodyOf(row) };
  },
});
