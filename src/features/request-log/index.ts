import { feature } from "../../commands/feature.ts";

export const requestLog = feature({
  name: "request-log",
  about: "Answers that their callers, and operators, may read again.",
  operations: async () => (await import("./operations/index.ts")).requestOperations,
  commands: [
    {
      name: "requests",
      group: "Clients",
      before: "upstreams",
      about: "Show how requests of integrators were answered.",
      load: async () => (await import("./commands.ts")).requestCommands,
    },
  ],
  story: async (db, asked) => ({ responses: await (await import("./read-requests.ts")).responsesAbout(db, asked) }),
  keeps: (config) => ({ requestLog: config.requestLog }),
  open: async (core, opened) => (await import("./open-request-log.ts")).openRequestLog(core, opened),
  pages: [
    {
      path: "/requests",
      title: "Requests",
      group: "Work",
      icon: "requests",
      families: ["requests"],
      opens: "requests.list",
    },
  ],
  records: async () => ({
    ...(await import("./request-records.ts")).requestRecords,
    key: { tabs: ["requests.key"] },
  }),
});
