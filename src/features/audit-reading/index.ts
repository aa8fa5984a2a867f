import { feature } from "../../commands/feature.ts";

export const auditReading = feature({
  name: "audit-reading",
  about: "Read, check and export the audit trail.",
  commands: [
    {
      name: "audit",
      group: "People and audit",
      about: "Read and check the audit trail.",
      load: async (all) => (await import("./commands.ts")).auditCommands(await all.auditKinds()),
    },
  ],
  pages: [
    {
      path: "/audit",
      before: "/you",
      title: "Audit",
      group: "Settings",
      icon: "audit",
      families: ["audit"],
      opens: "audit.tail",
      primary: "audit.verify",
    },
  ],
});
