import { feature } from "../../commands/feature.ts";

export const checking = feature({
  name: "checking",
  about: "Check whether any server keeps the interface.",
  commands: [
    {
      name: "check",
      group: "Serve",
      before: "accounts",
      about: "Check whether a server keeps the interface, point by point.",
      load: async () => [(await import("./check-command.ts")).checkCommand],
    },
  ],
});
