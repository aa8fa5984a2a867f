import { feature } from "../../commands/feature.ts";

export const operatorsConsole = feature({
  name: "console",
  about: "Web pages for operators, at an address of their own.",
  open: async (core, opened) => (core.config.console ? (await import("./console.ts")).openConsole(core, opened) : {}),
});
