/** Why the catalogue cannot be changed or shown so: one or more sentences for people. */
export class CatalogueFault extends Error {
  override readonly name = "CatalogueFault";
  readonly exitCode = 1;
}
