import { feature } from "../../commands/feature.ts";

export const standIn = feature({
  name: "stand-in",
  about: "Servers that speak the wire of a vendor about invented people, to rehearse with.",
  commands: [
    {
      name: "stand-in",
      group: "Vendors",
      before: "keyring",
      about: "Speak the wire of an identity vendor or a catalogue source, until a signal ends it.",
      load: async (all) => [(await import("./stand-in-command.ts")).standInCommand(await all.settings())],
    },
  ],
});
