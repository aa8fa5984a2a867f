import { feature } from "../../commands/feature.ts";

export const events = feature({
  name: "events",
  about: "Webhooks, and the list of events to poll.",
  operations: async () => (await import("./operations/index.ts")).eventOperations,
  commands: [
    {
      name: "events",
      group: "Clients",
      before: "keyring",
      about: "Endpoints that get events as webhooks, and what was delivered.",
      load: async () => (await import("./commands.ts")).eventCommands,
    },
  ],
  words: [
    {
      name: "listen",
      group: "Serve",
      about: "Follow events, and forward them to your machine: `duba call listEvents --follow`.",
      calls: (rest) => ["listEvents", "--follow", ...rest],
    },
    {
      name: "trigger",
      group: "Serve",
      about: "Rehearse an event with a test key: `duba call triggerEvent type=…`.",
      calls: ([type, ...rest]) => {
        const member = type !== undefined && /^[^-=][^=]*$/.test(type) ? `type=${type}` : (type ?? []);
        return ["triggerEvent", ...[member].flat(), ...rest];
      },
    },
  ],
  story: async (db, { reference }) => ({ events: await (await import("./deliveries.ts")).eventsAbout(db, reference) }),
  keeps: () => ({ keepsWaiting: true }),
  open: async (core, opened) => (await import("./open-events-feature.ts")).openEventsFeature(core, opened),
  pages: [
    {
      path: "/events",
      before: "/people",
      title: "Webhooks",
      group: "Settings",
      icon: "webhooks",
      families: ["events"],
      opens: "events.list",
      primary: "events.endpoints.add",
    },
  ],
  records: async () => (await import("./event-records.ts")).eventRecords,
});
