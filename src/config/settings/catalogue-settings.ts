import { namedParts, setting } from "../../operation/setting.ts";

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

/** Changes of the catalogue. Settings of the catalogue's source are in `catalogue/sync/sync-settings.ts`. */
export const catalogueSettings = {
  guard: setting({
    name: "DUBA_GUARD",
    about:
      "Which changes of the catalogue wait for approval: those that remove a larger part of a list than removal, multiply or divide a price by more than factor, or move the prices of a list of ten or more entries by more than mean on average. A bound that is not named stays as it is.",
    ...namedParts({
      removal: { usual: "30%", ...percentage },
      factor: { usual: "2", ...factor },
      mean: { usual: "20%", ...percentage },
    }),
  }),
};
