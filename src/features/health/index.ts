import { feature } from "../../commands/feature.ts";
import { settingOf } from "../../config/read-config.ts";
import { alarmSettings } from "./alarm-settings.ts";

export const serviceHealth = feature({
  name: "health",
  about: "How the service is, what needs a hand, and a message when that begins and ends.",
  settings: alarmSettings,
  commands: [
    {
      name: "status",
      before: "accounts",
      about: "Show how the service is, on one screen.",
      load: async () => [(await import("./status-command.ts")).statusCommand],
    },
    {
      name: "alarms",
      before: "accounts",
      about: "Show what needs a hand, and say who works on it.",
      load: async () => (await import("./alarm-commands.ts")).alarmCommands,
    },
  ],
  pages: [{ path: "/", families: ["status", "alarms"] }],
  auditEvents: async () => Object.values((await import("./alarm-trail.ts")).alarmTrail),
  openAlarms: async (room) => (await import("./read-health.ts")).openAlarms(room),
  open: async ({ store: { db, now }, ...core }) => {
    if (!settingOf(core.config, alarmSettings.alarmUrl)) return {};
    const teller = (await import("./tell-alarms.ts")).alarmTeller({ ...core, db, now });
    return { jobs: [{ name: "tell alarms", every: 60_000, run: () => teller.look() }] };
  },
});
