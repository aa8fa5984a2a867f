import { feature } from "../../commands/feature.ts";

const load = async () => (await import("./listCatalogueChanges.ts")).listCatalogueChanges;

export const changeFeed = feature({
  name: "change-feed",
  about: "The list of changes of the catalogue, by which a copy stays up to date.",
  operations: async () => [await load()],
  open: async ({ catalogue }) => {
    const { bind } = await import("../../declare/operation.ts");
    return { operations: bind([await load()], catalogue) };
  },
});
