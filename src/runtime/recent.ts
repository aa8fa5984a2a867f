import { LRUCache } from "lru-cache";

export type Recent<Value extends {}, Key extends {} = string> = LRUCache<Key, Value>;

/**
 * The `most` entries used last. By size, because `max` would reserve the memory for all entries at once. An entry
 * counts as one, or as its given `size`.
 */
export const recent = <Value extends {}, Key extends {} = string>(most: number): Recent<Value, Key> =>
  new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
