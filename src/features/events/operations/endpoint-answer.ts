import { accountEventTypes, type EventType } from "../../../declare/event.ts";
import { Failure } from "../../../declare/failures.ts";
import { codeField } from "../../../declare/fields.ts";
import type { Caller } from "../../../declare/operation.ts";
import Type, { type Static } from "../../../declare/schema/type.ts";
import type { Tables } from "../../../storage/tables.ts";
import { EndpointError } from "../endpoint-error.ts";
import type { EndpointPlace } from "../endpoints.ts";
import type { EventsRoom } from "../events.ts";

const orNull = <Of extends Parameters<typeof Type.Union>[0][number]>(type: Of) => Type.Union([type, Type.Null()]);
const time = (description: string) => Type.String({ format: "date-time", description });

export const WebhookDelivery = Type.Object(
  {
    event: Type.String({ description: "Id of the event" }),
    type: Type.String({ description: "Type of the event" }),
    happened_at: time("When it happened, UTC"),
    state: Type.Enum(["waiting", "delivered", "dead"], { description: "`dead`: Duba does not try any more" }),
    attempts: Type.Integer({ description: "How often Duba sent it" }),
    tried_at: orNull(time("Last attempt, UTC")),
    status: orNull(Type.Integer({ description: "HTTP status of your answer to the last attempt" })),
    outcome: orNull(
      Type.String({
        description:
          "What became of the last attempt: `answered`, `timed_out`, `no_public_address`, or a code of the connection",
      }),
    ),
    next_try_at: orNull(time("When Duba tries next, or later if other events go first, UTC; null: not any more")),
  },
  { title: "WebhookDelivery" },
);

const members = {
  id: Type.String(),
  url: Type.String(),
  mode: Type.Enum(["test", "live"]),
  types: Type.Array(Type.String(), { description: "Types of the events that it gets" }),
  state: Type.Enum(["on", "off"], {
    description: "`off`: it answered 410, or the key that made it was revoked. It gets nothing until you resend",
  }),
  off_since: orNull(time("Since when it is off, UTC")),
  created_at: time("When it was made, UTC"),
  made_by: orNull(
    Type.String({
      description:
        "Public id of the key that made it; null: an operator of the service made it, or nobody kept who did",
    }),
  ),
};

export const EventEndpoint = Type.Object(members, { title: "EventEndpoint" });
export const ListedEndpoint = Type.Object(
  { ...members, last_delivery: orNull(WebhookDelivery) },
  { title: "ListedEndpoint" },
);
export const secretMember = Type.String({
  description: "Signs the deliveries. It is shown this once",
});

type EndpointRow = Tables["event_endpoint"];

export function endpointOf(row: EndpointRow): Static<typeof EventEndpoint> {
  const types = JSON.parse(row.types) as string[];
  return {
    id: row.id,
    url: row.url,
    mode: row.mode!,
    types: accountEventTypes.filter((type) => types.includes(type)),
    state: row.off_since === null ? "on" : "off",
    off_since: timeOf(row.off_since),
    created_at: timeOf(row.created_at)!,
    made_by: /^key:(.+)$/.exec(row.made_by ?? "")?.[1] ?? null,
  };
}

type DeliveryRow = Pick<Tables["event_delivery"], "state" | "attempts" | "tried_at" | "outcome"> & {
  id: string;
  type: EventType;
  at: number;
};

export function deliveryOf(
  row: DeliveryRow,
  { next_at }: Pick<EndpointRow, "next_at">,
  now: number,
): Static<typeof WebhookDelivery> {
  const { id, type, at, state, attempts, tried_at, outcome } = row;
  return {
    event: id,
    type,
    happened_at: timeOf(at)!,
    state,
    attempts,
    tried_at: timeOf(tried_at),
    ...(outcome === null ? { status: null, outcome } : sentTo(outcome)),
    next_try_at: state === "waiting" ? timeOf(Math.max(next_at, now)) : null,
  };
}

/**
 * Returns the part of an outcome that an API client may know, which excludes whether a name has an address in the
 * operator's own network.
 */
export function sentTo(outcome: string): { status: number | null; outcome: string } {
  if (/^\d{3}$/.test(outcome)) return { status: Number(outcome), outcome: "answered" };
  return { status: null, outcome: hidden.has(outcome) ? "no_public_address" : outcome };
}

const hidden = new Set(["address_refused", "ENOTFOUND", "EAI_AGAIN", "ENODATA", "EAI_FAIL", "EAI_NODATA"]);

const timeOf = (at: number | null) => (at === null ? null : new Date(at).toISOString());

/** Returns the resources of a change by an API client, whose key is the actor. */
export function changeBy({ db, audit, keyring, now }: EventsRoom, { keyId }: Caller): EndpointPlace {
  return { db, audit, actor: `key:${keyId}`, keyring: keyring.current, now: now() };
}

/** Returns the result. Turns an `EndpointError` into the failure that an API client gets. */
export async function asFailure<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof EndpointError) throw new Failure(error.code, error.message);
    throw error;
  }
}

/** The common parts of the operations: spread this object into each operation. */
export const ofEndpoints = {
  since: "0.2.0",
  group: "Events",
  access: "credential",
  scope: "events:manage",
  limit: "catalogue",
} as const;

const exampleId = "ep_q3Jx0vT5bZ1K";
export const idField = codeField("Id of the endpoint.", exampleId);

export const exampleSecret = "whsec_h5c1pWkYc0n0m9Q8Zr3tVx2yBdFgJkLmNpQsTuVwXyZ=";

export const exampleEndpoint: Static<typeof EventEndpoint> = {
  id: exampleId,
  url: "https://shop.example.com/duba",
  mode: "test",
  types: accountEventTypes,
  state: "on",
  off_since: null,
  created_at: "2026-11-01T09:00:00.000Z",
  made_by: "5Jq8vN2kYw3R",
};

export const exampleDelivery: Static<typeof WebhookDelivery> = {
  event: "evt_Vn3bGq0sJ1mTz5xKc8Lw",
  type: "verification.settled",
  happened_at: "2026-11-01T09:30:00.000Z",
  state: "waiting",
  attempts: 2,
  tried_at: "2026-11-01T09:30:06.000Z",
  status: 502,
  outcome: "answered",
  next_try_at: "2026-11-01T09:30:27.000Z",
};
