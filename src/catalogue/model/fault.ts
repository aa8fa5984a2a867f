/** Why Duba cannot change or show the catalogue: one or more sentences for people. */
export class CatalogueFault extends Error {
  override readonly name = "CatalogueFault";
  readonly exitCode = 1;
}

/** So many faults of a file are told at most. If there are more, they probably have one cause. */
export const mostFaults = 100;
