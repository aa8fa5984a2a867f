import { LRUCache } from "lru-cache";

export type Recent<Value extends {}, Key extends {} = string> = LRUCache<Key, Value>;

/**
 * The `most` entries used last. By size, because `max` would reserve the memory for all of them at once. An entry
 * counts as one, or as the `size` that it is set with.
 */
export const recent = <Value extends {}, Key extends {} = string>(most: number): Recent<Value, Key> =>
  new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
