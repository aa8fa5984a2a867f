import { LRUCache } from "lru-cache";

/** The `most` entries used last. By size, because `max` would reserve the memory for all of them at once. */
export const recent = <Value extends {}>(most: number) =>
  new LRUCache<string, Value>({ maxSize: most, sizeCalculation: () => 1 });
