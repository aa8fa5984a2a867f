import { setting, timeFrom } from "../../operation/setting.ts";

const percentage = {
  form: "a percentage from 0% to 100%",
  /** From 0 to 1. */
  read: (text: string): number | undefined => {
    const digits = /^(\d{1,3})%$/.exec(text)?.[1];
    return digits !== undefined && Number(digits) <= 100 ? Number(digits) / 100 : undefined;
  },
};

/** Changes of the catalogue. Settings of the catalogue's source are in `catalogue/sync/sync-settings.ts`. */
export const catalogueSettings = {
  guardRemoval: setting({
    name: "DUBA_GUARD_REMOVAL",
    default: "30%",
    about: "A change that removes a larger part of a list than this waits for approval.",
    ...percentage,
  }),
  guardPriceFactor: setting({
    name: "DUBA_GUARD_PRICE_FACTOR",
    default: "2",
    about:
      "A change that multiplies or divides a price by more than this waits for approval. 2: more than double, or less than half.",
    form: "a number of 1 or more, such as 1.5",
    read: (text): number | undefined => (/^[1-9]\d{0,5}(\.\d{1,3})?$/.test(text) ? Number(text) : undefined),
  }),
  guardPriceMean: setting({
    name: "DUBA_GUARD_PRICE_MEAN",
    default: "20%",
    about:
      "A change that moves the prices of a list of ten or more entries by more than this on average waits for approval.",
    ...percentage,
  }),
  catalogueHistory: setting({
    name: "DUBA_CATALOGUE_HISTORY",
    default: "400d",
    about:
      "How long the service keeps revisions of the catalogue, their changes and rejected drafts. It always keeps the newest revision.",
    ...timeFrom("24h"),
  }),
};
