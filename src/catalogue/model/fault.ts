/** Why Duba cannot change or show the catalogue: one or more sentences for people. */
export class CatalogueFault extends Error {
  override readonly name = "CatalogueFault";
  readonly exitCode = 1;
}

/** Faults of a file that are told: more have most likely one cause. */
export const mostFaults = 100;
