import { reference } from "../../../declare/command/answer-schema.ts";
import { id, moment } from "../../../declare/command/forms.ts";
import { formed } from "../../../declare/command/read-texts.ts";
import { richText } from "../../../declare/command/rich-text.ts";
import { CommandError, command } from "../../../declare/command.ts";
import Type from "../../../declare/schema/type.ts";
import type { Audited, WithClock } from "../../../storage/audited.ts";
import { endpointTrail } from "../../../storage/events/endpoint-trail.ts";
import { markedEndpoints } from "../../../storage/events/made-endpoints.ts";
import { type AskedDeliveries, deadByEndpoint, resend } from "../deliveries.ts";

export const resendAll = command({
  id: "events.resend-all",
  title: "Send all dead ones again…",
  summary: "Send all dead deliveries that fit again: of one endpoint or of all, of events from when until when.",
  description: "They go to the end of their endpoint's queue, in their old order. Duba then tries for 3 more days.",
  role: "operator",
  kind: "change",
  input: Type.Object({
    endpoint: Type.Optional(
      formed(id, { description: "Only of one endpoint, which `duba events endpoints list` shows.", placeholder: "id" }),
    ),
    since: Type.Optional(
      formed(moment, { description: `Only events from this time: ${moment.form}.`, placeholder: "when" }),
    ),
    until: Type.Optional(
      formed(moment, { description: `Only events before this time: ${moment.form}.`, placeholder: "when" }),
    ),
  }),
  answer: Type.Object({
    endpoints: Type.Array(Type.Object({ endpoint: reference, events: Type.Integer({ sums: true }) })),
  }),
  view: () => [{ list: "endpoints" }],
  onPage: ({ endpoints }) => {
    const events = endpoints.reduce((sum, each) => sum + each.events, 0);
    const [what, of] = [`${events === 1 ? "1 event waits" : `${events} events wait`}`, endpoints.length];
    return [`${what} for ${of === 1 ? "1 endpoint" : `${of} endpoints`} again.`];
  },
  records: [endpointTrail.eventsResent],
  examples: [{}, { endpoint: "ep_q3Jx0vT5bZ1K", since: "24h" }],
  effect: async (asked, room: Audited & WithClock) => {
    const dead = await fitting(room, asked);
    const hosts = new Map((await markedEndpoints(room.db, room.now())).map((each) => [each.id, each]));
    const count = dead.reduce((sum, { events }) => sum + events, 0);
    return {
      asks: `Send ${count === 1 ? "1 dead delivery" : `${count} dead deliveries`} again?`,
      says: dead.map(({ endpoint, events, since }) => {
        const { host = endpoint, audience = "" } = hosts.get(endpoint) ?? {};
        return richText`${String(events)} for ${host} of ${{ account: audience }}, the oldest of ${{ time: since }}.`;
      }),
    };
  },
  run: async (asked, room: Audited & WithClock) => {
    const endpoints = [];
    for (const { endpoint } of await fitting(room, asked)) {
      const { since, until } = asked;
      endpoints.push({ endpoint, events: (await resend(room, { endpoint, since, until }, room.now())) ?? 0 });
    }
    return { endpoints };
  },
});

async function fitting({ db }: Pick<Audited, "db">, asked: AskedDeliveries) {
  const dead = await deadByEndpoint(db, asked);
  if (dead.length === 0) throw new CommandError("No delivery that fits is dead.");
  return dead;
}
