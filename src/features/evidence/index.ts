import { feature } from "../../commands/feature.ts";

export const evidence = feature({
  name: "evidence",
  about: "Tables from which an auditor of data protection works.",
  commands: [
    {
      name: "evidence",
      group: "People and audit",
      before: "accounts",
      about: "Write what an auditor of data protection works from, as a folder of tables.",
      load: async () => [(await import("./evidence-command.ts")).evidenceCommand],
    },
  ],
});
