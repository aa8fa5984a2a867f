import { feature } from "../../commands/feature.ts";

export const ledgerReports = feature({
  name: "ledger-reports",
  about: "Lists of verifications, what became of each and why, and counts by state.",
  commands: [{ name: "ledger", load: async () => (await import("./ledger-commands.ts")).ledgerCommands }],
  records: async () => (await import("./verification-records.ts")).verificationRecords,
  pages: [
    {
      path: "/verifications",
      before: "/vendors",
      title: "Verifications",
      group: "Work",
      icon: "verifications",
      families: ["ledger"],
      opens: "ledger.list",
      count: { of: "unknown_verifications", tells: "without an outcome" },
    },
  ],
});
