import { feature } from "../../commands/feature.ts";

export const demo = feature({
  name: "demo",
  about: "The service and its console with an invented reseller's busy month, to look at.",
  commands: [
    {
      name: "demo",
      group: "Serve",
      before: "keyring",
      about: "Show the service with an invented reseller and two months of traffic, until a signal ends it.",
      load: async () => [(await import("./demo-command.ts")).demoCommand],
    },
  ],
});
