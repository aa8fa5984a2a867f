import { type FeatureRecords, hasPart } from "../../commands/records/record-kinds.ts";
import { eventText } from "../../declare/event.ts";

/** Events and their endpoints, in the form in which people find them. */
export const eventRecords: FeatureRecords = {
  event: {
    show: "events.show",
    by: "event",
    title: ({ type }) => eventText(String(type)),
    meta: ["happened_at", "request_reference", "event"],
    members: ["event"],
    named: /^evt_/,
    isAlone: true,
    search: async (text, ask) =>
      (text.startsWith("evt_") ? await ask("events.show", { event: text }) : []).map((row) => ({
        ...row,
        about: row.type,
        at: row.happened_at,
      })),
  },
  endpoint: {
    show: "events.list",
    by: "endpoint",
    title: ({ endpoint }) => String(endpoint),
    meta: [],
    members: ["endpoint"],
    named: /^ep_/,
    isAlone: true,
    search: async (text, ask) =>
      (await ask("events.endpoints.list", {}))
        .filter(({ id, url }) => id === text || hasPart(url, text))
        .map((row) => ({ endpoint: row.id, about: row.url, at: row.created_at })),
  },
};
