/** A bug that is put into the code by hand, and the tests that must fail because of the bug. */
export interface Mutant {
  /** What is wrong then. */
  name: string;
  file: string;
  /** Text that the file has once. */
  from: string;
  to: string;
  tests: readonly string[];
}
