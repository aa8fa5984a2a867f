import { feature } from "../../commands/feature.ts";

export const call = feature({
  name: "call",
  about: "Operations of a running service from a terminal, and its events on your machine.",
  words: [
    {
      name: "call",
      about: "Call an operation of a running service, and print the response.",
      example: "duba call lookupDataBundles provider=MTNDATA",
      add: async (word, given) => (await import("./call.ts")).addOperations(word, given),
    },
    {
      name: "listen",
      about: "Follow events, and forward them to your machine: `duba call listEvents --follow`.",
      inFull: (rest) => ["call", "listEvents", "--follow", ...rest],
    },
    {
      name: "trigger",
      about: "Rehearse an event with a test key: `duba call triggerEvent type=…`.",
      inFull: ([type, ...rest]) => {
        const member = type !== undefined && /^[^-=][^=]*$/.test(type) ? `type=${type}` : (type ?? []);
        return ["call", "triggerEvent", ...[member].flat(), ...rest];
      },
    },
  ],
});
