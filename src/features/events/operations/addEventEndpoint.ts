import { accountEventTypes, type EventType, eventTypes } from "../../../declare/event.ts";
import { Failure } from "../../../declare/failures.ts";
import { field, optionalField } from "../../../declare/fields.ts";
import { operation, type Scope } from "../../../declare/operation.ts";
import Type from "../../../declare/schema/type.ts";
import { readEndpointUrl, urlForm, whyUnfit, withoutNumber } from "../endpoint-url.ts";
import { addEndpoint } from "../endpoints.ts";
import { typesFor } from "../event-list.ts";
import type { EventsRoom } from "../events.ts";
import {
  asFailure,
  changeBy,
  EventEndpoint,
  endpointOf,
  exampleEndpoint,
  exampleSecret,
  ofEndpoints,
  secretMember,
} from "./endpoint-answer.ts";

const anyType = accountEventTypes.map((type) => type.replace(".", "\\.")).join("|");
const listed = accountEventTypes.join(", ");

export const addEventEndpoint = operation({
  ...ofEndpoints,
  id: "addEventEndpoint",
  method: "POST",
  path: "/api/v2/events/endpoints",
  summary: "Add a webhook endpoint",
  alsoCalled: ["addwebhook", "createwebhook", "registerwebhook"],
  description:
    "Adds an endpoint that gets the events of your account, in the mode of your key, as signed webhooks. " +
    "The answer has its secret, which is shown this once. An account has at most 10 endpoints in each mode, " +
    "of different URLs. Duba sends to public addresses only, and with a live key to https only. " +
    "Types that your key may not list, your endpoint does not get.",
  carriage: "body",
  input: Type.Object({
    url: field({
      pattern: "^https?://[^]",
      maxLength: 2000,
      description: "Where Duba sends the events.",
      problem: `must be ${urlForm}, of at most 2000 characters`,
      example: exampleEndpoint.url,
    }),
    types: optionalField({
      pattern: `^(?:${anyType})(?:,(?:${anyType}))*$`,
      description: `Types of the events that it gets, with commas between: ${listed}. Unless given: all that there are today and your key may list.`,
      problem: `must be types with commas between, of ${listed}`,
      example: "verification.settled,verification.reversed",
    }),
  }),
  answer: Type.Object({
    success: Type.Literal(true),
    status: Type.Literal("success"),
    message: Type.String(),
    data: EventEndpoint,
    secret: secretMember,
  }),
  failures: ["endpoint_exists", "too_many_endpoints"],
  examples: [
    {
      summary: "An endpoint for all events",
      input: { url: exampleEndpoint.url },
      answer: {
        success: true,
        status: "success",
        message: "Endpoint added",
        data: exampleEndpoint,
        secret: exampleSecret,
      },
    },
  ],
  run: async ({ input, caller }, room: EventsRoom) => {
    const { accountId, mode, scopes } = caller!;
    const url = fitUrl(input.url, mode, room);
    const wanted = { accountId, mode, url, types: typesOf(input.types, scopes) };
    const { row, secret } = await asFailure(addEndpoint(changeBy(room, caller!), wanted));
    return {
      success: true as const,
      status: "success" as const,
      message: "Endpoint added",
      data: endpointOf(row),
      secret,
    };
  },
});

function fitUrl(text: string, mode: "test" | "live", { networks }: EventsRoom): URL {
  const refused = (message: string) =>
    new Failure("validation_failed", message, { fields: [{ field: "url", message }] });
  const url = readEndpointUrl(text);
  if (!url) throw refused(`url must be ${urlForm}.`);
  const why = whyUnfit(url, mode, networks);
  if (why === "number") throw refused(`url ${withoutNumber}.`);
  if (why === "private") throw refused("url must have a public address: this one is private or reserved.");
  if (why === "plain") throw refused("url must begin with https://. Only a test key may add one with http://.");
  return url;
}

/**
 * The requested types, or all types that the key may list. Throws `insufficient_scope` for a type that the key may not
 * list.
 */
function typesOf(text: string | undefined, scopes: readonly Scope[]): EventType[] {
  const allowed = typesFor(scopes);
  if (text === undefined) return accountEventTypes.filter((type) => allowed.includes(type));
  const types = accountEventTypes.filter((type) => text.split(",").includes(type));
  const other = types.find((type) => !allowed.includes(type));
  if (other)
    throw new Failure(
      "insufficient_scope",
      `Events of type ${other} need a key with the scope ${eventTypes[other].scope}.`,
    );
  return types;
}
