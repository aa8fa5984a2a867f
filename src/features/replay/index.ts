import { feature } from "../../commands/feature.ts";

export const routeReplay = feature({
  name: "replay",
  about: "What another order of vendors would have cost and found in a past period.",
  commands: [{ name: "routes", load: async () => [(await import("./replay-command.ts")).replayRoutes] }],
});
