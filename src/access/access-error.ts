/** A request of an operator that cannot be done. `message` is one sentence with the reason and the remedy. */
export class AccessError extends Error {
  override readonly name = "AccessError";
}
