import { account, orNull, type Part, reference, time } from "../../declare/command/answer-schema.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import { endpointMarks, type MarkedEndpoint } from "../../storage/events/made-endpoints.ts";

/** Endpoints of events, in the form of the answers about a key or an account. */
export const madeEndpoints = Type.Array(
  Type.Object({
    endpoint: reference,
    host: Type.String(),
    made_by: orNull({ ...account, none: "not kept" }),
    off_since: orNull({ ...time, none: "on" }),
    mark: orNull(Type.Enum([...endpointMarks])),
  }),
);

export function endpointFactsOf({ id, host, made_by, off_since, mark }: MarkedEndpoint) {
  return { endpoint: id, host, made_by, off_since, mark };
}

/** The part of a view that lists the endpoints of a key or an account, if there are any. */
export function endpointList(title: string, endpoints: Static<typeof madeEndpoints>): readonly Part[] {
  return endpoints.length === 0 ? [] : ["", { title, list: "endpoints" }];
}
