import { feature } from "../../commands/feature.ts";
import { pullOf, sourceMisfits, sourceRisks, syncSettings } from "./sync/sync-settings.ts";
import { catalogueSources } from "./vendors/every-source.ts";

export const sources = feature({
  name: "sources",
  about: "Lists of the catalogue that follow a service elsewhere, under codes of our own.",
  settings: Object.fromEntries(
    [syncSettings, ...catalogueSources.map((source) => source.settings)].flatMap((each) =>
      Object.values(each).map((setting) => [setting.name, setting]),
    ),
  ),
  misfits: sourceMisfits,
  risks: sourceRisks,
  commands: [
    { name: "catalogue", load: async () => (await import("./commands/map-commands.ts")).mapCommands },
    {
      name: "sources",
      group: "Catalogue",
      before: "ledger",
      about: "The source from which Duba updates the catalogue.",
      load: async () => (await import("./commands/source-commands.ts")).sourceCommands,
    },
  ],
  pages: [{ path: "/catalogue", families: ["sources"] }],
  auditEvents: async () => Object.values((await import("./sources-trail.ts")).sourcesTrail),
  health: async (room) => (await import("./source-health.ts")).sourceHealth(room),
  open: async (core, opened) =>
    pullOf(core.config).sources.length === 0 ? {} : (await import("./follow-sources.ts")).openSources(core, opened),
});
