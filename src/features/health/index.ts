import { feature } from "../../commands/feature.ts";
import { alarmReceivers } from "./alarm-receivers.ts";
import { alarmSettings } from "./alarm-settings.ts";

export const serviceHealth = feature({
  name: "health",
  about: "How the service is, what needs a hand, and a message when that begins and ends.",
  settings: alarmSettings,
  commands: [
    {
      name: "status",
      group: "Serve",
      before: "accounts",
      about: "Show how the service is, on one screen.",
      load: async () => [(await import("./status-command.ts")).statusCommand],
    },
    {
      name: "alarms",
      group: "Serve",
      before: "accounts",
      about: "Show what needs a hand, and say who works on it.",
      load: async () => [
        ...(await import("./alarm-commands.ts")).alarmCommands,
        (await import("./acknowledge-all-command.ts")).acknowledgeAll,
      ],
    },
  ],
  pages: [{ path: "/", families: ["status", "alarms"] }],
  auditEvents: async () => Object.values((await import("./alarm-trail.ts")).alarmTrail),
  openAlarms: async (room) => (await import("./read-health.ts")).openAlarms(room),
  open: async ({ store: { db, now }, ...core }) => {
    if (alarmReceivers(core.config).length === 0) return {};
    const tellers = (await import("./tell-alarms.ts")).alarmTellers({ ...core, db, now });
    const run = async () => void (await Promise.all(tellers.map((teller) => teller.look())));
    return { jobs: [{ name: "tell alarms", every: 60_000, run }] };
  },
});
