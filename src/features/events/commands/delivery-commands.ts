import { happening, orNull, reference, state, time } from "../../../declare/command/answer-schema.ts";
import { cursorAt, id, moment, place } from "../../../declare/command/forms.ts";
import { formed } from "../../../declare/command/read-texts.ts";
import { CommandError, command } from "../../../declare/command.ts";
import Type from "../../../declare/schema/type.ts";
import { count } from "../../../declare/setting.ts";
import type { Audited, WithClock } from "../../../storage/audited.ts";
import { rehearsed } from "../../../storage/events/announce.ts";
import { endpointTrail } from "../../../storage/events/endpoint-trail.ts";
import { undelivered } from "../../../storage/events/undelivered.ts";
import { allDeliveries, type DeliveryState, deliveryStates, findEvent, listDeliveries, resend } from "../deliveries.ts";

const endpoint = { description: "Id of an endpoint, which `duba events endpoints list` shows.", placeholder: "id" };
const event = { description: "Id of an event, which `duba events list` shows.", placeholder: "id" };

/** The state of an event's delivery to an endpoint. */
const delivery = {
  endpoint: reference,
  state: state(deliveryStates),
  attempts: Type.Integer({ label: "Attempts" }),
  tried_at: orNull({ ...time, none: "never" }),
  outcome: orNull(Type.String()),
};

const list = command({
  id: "events.list",
  title: "Deliveries",
  summary: "List the deliveries of events, newest first.",
  role: "viewer",
  kind: "read",
  reports: true,
  actsOnChosen: "events.resend-all",
  input: Type.Object({
    endpoint: Type.Optional(formed(id, { ...endpoint, description: `Only of one endpoint. ${endpoint.description}` })),
    state: Type.Optional(Type.Enum([...deliveryStates], { description: "Only deliveries in this state." })),
    since: Type.Optional(
      formed(moment, { description: `Only events from this time: ${moment.form}.`, placeholder: "when" }),
    ),
    until: Type.Optional(
      formed(moment, { description: `Only events before this time: ${moment.form}.`, placeholder: "when" }),
    ),
    limit: formed(count, { description: "Maximum number of deliveries.", placeholder: "number", default: "50" }),
    cursor: Type.Optional(
      formed(place, { description: "Where to go on: the cursor of the last row before.", placeholder: "cursor" }),
    ),
  }),
  answer: Type.Array(
    Type.Object({
      event: reference,
      type: happening,
      happened_at: time,
      ...delivery,
      /** The cursor of the next older rows. */
      cursor: Type.String(),
    }),
  ),
  columns: ["event", "type", "happened_at", "endpoint", "state", "attempts", "tried_at", "outcome"],
  page: [
    ...(["type", "state", { name: "outcome", spare: true }, "endpoint", { name: "event", spare: true }] as const),
    ...([{ name: "attempts", spare: true }, "happened_at"] as const),
  ],
  none: "Nothing was delivered yet.",
  noneThen: { says: "Events go to the endpoints of clients.", by: "events.endpoints.add" },
  choiceCounts: async (_, { db }: Audited) => {
    const { waiting, dead } = await undelivered(db);
    return { state: { waiting, dead } };
  },
  examples: [{}, { state: "dead" }],
  run: async ({ cursor: after, ...asked }, { db }: Audited) =>
    (await listDeliveries(db, { ...asked, after })).map(shownDelivery),
  rows: async function* ({ limit: _, cursor: _after, ...asked }, { db }: Audited) {
    for await (const rows of allDeliveries(db, asked)) yield rows.map(shownDelivery);
  },
});

function shownDelivery(row: Awaited<ReturnType<typeof listDeliveries>>[number]) {
  return {
    ...row,
    event: row.id,
    happened_at: row.at,
    endpoint: row.endpoint_id,
    state: row.state as DeliveryState,
    cursor: cursorAt(row.number, row.endpoint_id),
  };
}

const showEvent = command({
  id: "events.show",
  title: "Event",
  summary: "Show an event: what it is about, and what became of it at each endpoint.",
  role: "viewer",
  kind: "read",
  target: ["event"],
  input: Type.Object({ event: formed(id, event) }),
  answer: Type.Object({
    event: reference,
    type: happening,
    happened_at: time,
    mode: orNull(Type.String()),
    request_reference: orNull(reference),
    deliveries: Type.Array(Type.Object(delivery)),
  }),
  view: ({ deliveries: _, ...facts }) => [
    { record: facts },
    "",
    { title: "Deliveries:", list: "deliveries", none: "No endpoint gets events of this type." },
  ],
  examples: [{ event: "evt_Vn3bGq0sJ1mTz5xKc8Lw" }],
  run: async ({ event: id }, { db }: Audited) => {
    const { at, about, type, mode, deliveries } = await findEvent(db, id);
    return {
      event: id,
      type,
      mode,
      happened_at: at,
      request_reference: type.startsWith("verification.") && about !== rehearsed ? about : null,
      deliveries: deliveries.map((row) => ({ ...row, endpoint: row.endpoint_id, state: row.state as DeliveryState })),
    };
  },
});

const resendEvents = command({
  id: "events.resend",
  title: "Send again…",
  summary: "Send events to an endpoint again: all that are dead, or one.",
  description: "They go to the end of the endpoint's queue, in their old order. Duba then tries for 3 more days.",
  role: "operator",
  kind: "change",
  target: ["endpoint"],
  input: Type.Object({
    endpoint: formed(id, endpoint),
    event: Type.Optional(
      formed(id, { ...event, description: `Only this one, also if it was delivered. ${event.description}` }),
    ),
  }),
  answer: Type.Object({ endpoint: Type.String(), events: Type.Integer() }),
  view: ({ endpoint, events }) => [`${events} ${events === 1 ? "event waits" : "events wait"} for ${endpoint} again.`],
  records: [endpointTrail.eventsResent],
  examples: [{ endpoint: "ep_q3Jx0vT5bZ1K" }, { endpoint: "ep_q3Jx0vT5bZ1K", event: "evt_Vn3bGq0sJ1mTz5xKc8Lw" }],
  run: async ({ endpoint, event }, room: Audited & WithClock) => {
    const events = await resend(room, { endpoint, event }, room.now());
    if (events === undefined)
      throw new CommandError(
        event === undefined ? `No event is dead for ${endpoint}.` : `The event waits for ${endpoint} already.`,
      );
    return { endpoint, events };
  },
});

export const deliveryCommands = [list, showEvent, resendEvents];
