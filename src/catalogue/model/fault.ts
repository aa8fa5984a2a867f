/** Why Duba cannot change or show the catalogue: one or more sentences for people. */
export class CatalogueFault extends Error {
  override readonly name = "CatalogueFault";
  readonly exitCode = 1;
}

/** Duba reports at most this many faults of a file: more probably have one cause. */
export const mostFaults = 100;
