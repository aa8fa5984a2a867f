import { sizeIn, validityIn, visible } from "../../vendors/responses/bundle-names.ts";
import type { EntryContent } from "./lists.ts";

/**
 * Whether this is an entry of the data bundles. A source's bundle may lack its size, but only bundles have an amount
 * and no name.
 */
export function isBundle({ value, amount, name }: EntryContent): boolean {
  return value !== undefined || (amount !== undefined && name === undefined);
}

const bundleSizes = new WeakMap<EntryContent, number | null>();

/**
 * Megabytes of a data bundle; undefined for other entries, and unless its value or description states exactly one size.
 */
export function bundleSize(content: EntryContent): number | undefined {
  if (!isBundle(content)) return undefined;
  const { value, description } = content;
  let size = bundleSizes.get(content);
  if (size === undefined) {
    size = megabytesIn(String(value ?? "")) ?? megabytesIn(String(description)) ?? null;
    bundleSizes.set(content, size);
  }
  return size ?? undefined;
}

/** Formats 1536 as "1.5GB". */
export function sizeText(megabytes: number): string {
  const [size, unit] = megabytes < 1024 ? [megabytes, "MB"] : [megabytes / 1024, "GB"];
  return `${Math.round(size * 1000) / 1000}${unit}`;
}

/** Megabytes in a text such as `1.5GB` or `corporate_data_500mb`; undefined unless it states exactly one size. */
export function megabytesIn(text: string): number | undefined {
  return sizeIn(visible(text))?.amount;
}

/** Hours for which an entry is valid; undefined unless its duration or description states exactly one time. */
export function validityOf({ duration, description }: EntryContent): number | undefined {
  return (validityIn(visible(String(duration))) ?? validityIn(visible(String(description))))?.amount;
}
