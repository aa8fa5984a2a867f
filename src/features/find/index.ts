import { feature } from "../../commands/feature.ts";

export const find = feature({
  name: "find",
  about: "Find a record of any kind by its name.",
  commands: [
    {
      name: "find",
      group: "Verifications and money",
      before: "accounts",
      about:
        "Find what a text names: a verification, a request, an account, a key, a person, a vendor, an event, " +
        "an endpoint, a revision or an entry of the catalogue.",
      load: async (all) => [(await import("./find-command.ts")).findCommand(await all.records())],
    },
  ],
  pages: [{ path: "/", families: ["find"] }],
});
