import type { EntryContent } from "./lists.ts";

/** Megabytes of each unit. */
const sizes = { mb: 1, gb: 1024, tb: 1024 ** 2 };
/** Hours of each unit. */
const times = { hour: 1, hr: 1, day: 24, week: 168, month: 720, year: 8760 };

const bundleSizes = new WeakMap<EntryContent, number | null>();

/**
 * Megabytes of a data bundle; undefined for other entries, and unless its value or description states exactly one size.
 */
export function bundleSize(content: EntryContent): number | undefined {
  const { value, description } = content;
  if (value === undefined) return undefined;
  let size = bundleSizes.get(content);
  if (size === undefined) {
    size = megabytesIn(String(value)) ?? megabytesIn(String(description)) ?? null;
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
  return onlyOne(text, /(?<![\d.,])(\d+(?:\.\d+)?)\s?(MB|GB|TB)(?![a-z])/gi, sizes);
}

/** Hours in a text such as `24Hrs` or `1 Day`; undefined unless it states exactly one time. A month has 30 days. */
export function hoursIn(text: string): number | undefined {
  return onlyOne(text, /(?<![\d.,])(\d+)[\s-]*(hour|hr|day|week|month|year)s?(?![a-z])/gi, times);
}

function onlyOne(text: string, form: RegExp, units: Readonly<Record<string, number>>): number | undefined {
  const [first, ...others] = text.matchAll(form);
  if (first === undefined || others.length > 0) return undefined;
  return Number(first[1]) * units[first[2]!.toLowerCase()]! || undefined;
}
