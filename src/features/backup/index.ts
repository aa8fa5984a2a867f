import { feature } from "../../commands/feature.ts";

const load = async () => (await import("./commands.ts")).backupCommands;

export const backups = feature({
  name: "backup",
  about: "The whole store in a file, and an empty store filled from it.",
  commands: [
    { name: "backup", group: "Store", about: "Write the store to a file, without identity records.", load },
    { name: "restore", group: "Store", about: "Restore a backup into an empty store.", load },
  ],
  auditEvents: async () => Object.values((await import("./backup-trail.ts")).backupTrail),
});
