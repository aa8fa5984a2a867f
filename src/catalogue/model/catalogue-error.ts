/** Why Duba cannot change or show the catalogue: one or more sentences for people. */
export class CatalogueError extends Error {
  override readonly name = "CatalogueError";
  readonly exitCode = 1;
}

/** Duba reports at most this many faults of a file: more probably have one cause. */
export const mostErrors = 100;
