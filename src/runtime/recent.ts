import { LRUCache } from "lru-cache";

export type Recent<Value extends {}, Key extends {} = string> = LRUCache<Key, Value>;

/**
 * The `most` entries used last. An entry counts as one, or as its given `size`. We limit by size, because the option
 * `max` would reserve the memory for all entries at once.
 */
export const recent = <Value extends {}, Key extends {} = string>(most: number): Recent<Value, Key> =>
  new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
