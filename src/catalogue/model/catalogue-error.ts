import { ErrorWithMends } from "../../declare/command/mend.ts";

/** Why we cannot change or show the catalogue, in one or more sentences for people. */
export class CatalogueError extends ErrorWithMends {
  override readonly name = "CatalogueError";
  readonly exitCode = 1;
}

/** We report at most this many errors of a file, because more probably have one cause. */
export const mostErrors = 100;
