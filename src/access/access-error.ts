/** An operator's request that cannot be done. `message` is one sentence that says why and what would be right. */
export class AccessError extends Error {
  override readonly name = "AccessError";
}
