import { feature } from "../../commands/feature.ts";

export const routes = feature({
  name: "routes",
  about:
    "How vendors did and what they cost, a pause of one, and what another order of them would have cost and found.",
  commands: [
    {
      name: "routes",
      group: "Vendors",
      before: "keyring",
      about: "Show how the identity vendors did and what they cost, and pause one.",
      load: async () => [
        ...(await import("./route-commands.ts")).routeCommands,
        (await import("./replay-command.ts")).replayRoutes,
      ],
    },
  ],
  pages: [{ path: "/vendors", families: ["routes"], opens: "routes.show" }],
  records: async () => ({ vendor: { primary: ["routes.resume"], beside: ["routes.pause"] } }),
});
