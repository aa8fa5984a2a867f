import { formerParts, setting } from "../../declare/setting.ts";

const percentage = {
  form: "a percentage from 0% to 100%",
  /** From 0 to 1. */
  read: (text: string): number | undefined => {
    const digits = /^(\d{1,3})%$/.exec(text)?.[1];
    return digits !== undefined && Number(digits) <= 100 ? Number(digits) / 100 : undefined;
  },
};

const factor = {
  form: "a number of 1 or more, such as 1.5",
  read: (text: string): number | undefined => (/^[1-9]\d{0,5}(\.\d{1,3})?$/.test(text) ? Number(text) : undefined),
};

const guard = formerParts("DUBA_GUARD", "removal", "factor", "mean");

/** Changes of the catalogue. Settings of its sources are in `features/sources/sync/sync-settings.ts`. */
export const catalogueSettings = {
  guardRemoval: setting({
    name: "DUBA_GUARD_REMOVAL",
    default: "30%",
    about: "A change of the catalogue that removes a larger part of a list waits for approval.",
    ...percentage,
    former: guard("removal"),
  }),
  guardFactor: setting({
    name: "DUBA_GUARD_PRICE_FACTOR",
    default: "2",
    about: "A change of the catalogue that multiplies or divides a price by more waits for approval.",
    ...factor,
    former: guard("factor"),
  }),
  guardMean: setting({
    name: "DUBA_GUARD_PRICE_MEAN",
    default: "20%",
    about:
      "A change of the catalogue that moves the prices of a list of ten or more entries " +
      "by more on average waits for approval.",
    ...percentage,
    former: guard("mean"),
  }),
};
