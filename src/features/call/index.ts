import { feature } from "../../commands/feature.ts";

export const call = feature({
  name: "call",
  about: "Operations of a running service from a terminal, and its events on your machine.",
  words: [
    {
      name: "call",
      group: "Serve",
      about: "Call an operation of a running service, and print the response.",
      example: "duba call lookupDataBundles provider=MTNDATA",
      callsOperations: true,
      add: async (word, given) => (await import("./call.ts")).addOperations(word, given),
    },
  ],
});
