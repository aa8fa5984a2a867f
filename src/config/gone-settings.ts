/** Settings that are gone, by name, each with what to do instead: completes "NAME is no setting any more: …". */
export const goneSettings: Readonly<Record<string, string>> = {
  DUBA_CATALOGUE_DIFFERENCE: "lists are not compared with a second source any more.",
  DUBA_CATALOGUE_SOURCES: "DUBA_CATALOGUE_SOURCE takes a source for each list too.",
};
