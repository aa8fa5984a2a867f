import { feature } from "../../commands/feature.ts";

export const dataSubjects = feature({
  name: "data-subjects",
  about: "Export or erase the data of one person.",
  commands: [
    {
      name: "subjects",
      group: "Verifications and money",
      before: "migrate",
      about: "Export or erase the data of one person.",
      load: async () => (await import("./subject-commands.ts")).subjectCommands,
    },
  ],
  auditEvents: async () => Object.values((await import("./subject-trail.ts")).subjectTrail),
  pages: [{ path: "/verifications", families: ["subjects"] }],
});
