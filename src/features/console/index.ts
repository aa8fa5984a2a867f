import { feature } from "../../commands/feature.ts";
import { settingOf } from "../../config/read-config.ts";
import { consoleMisfits, consoleOrigin, consoleSettings } from "./console-settings.ts";

const ownCommands = async () => (await import("./people/own-commands.ts")).ownCommands;

export const operatorsConsole = feature({
  name: "console",
  about: "Web pages for operators, at an address of their own, and the people who may use them.",
  settings: consoleSettings,
  misfits: consoleMisfits,
  consoleOrigin: (config) => consoleOrigin(config),
  commands: [
    {
      name: "people",
      group: "People and audit",
      before: "catalogue",
      about: "People who may use the operators' console.",
      load: async () => (await import("./people/people-commands.ts")).peopleCommands,
    },
    // Commands about a person's own sign-in. A terminal has no sign-in.
    { name: "passkeys", load: ownCommands },
    { name: "sessions", load: ownCommands },
  ],
  auditEvents: async () => Object.values((await import("./people/people-trail.ts")).peopleTrail),
  records: async () => (await import("./people/people-records.ts")).peopleRecords,
  open: async (core, opened) =>
    settingOf(core.config, consoleSettings.address) ? (await import("./console.ts")).openConsole(core, opened) : {},
});
