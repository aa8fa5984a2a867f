import { pacer } from "../../runtime/pace.ts";
import { type EntryContent, entryKeyOf, groupOf, type ListName } from "./lists.ts";
import { bundleSize, hoursIn } from "./quantity.ts";

/**
 * The looks of an entry. Two entries look alike if they share one: size and validity, or the name without prices,
 * spaces and marks.
 */
export function looksOf(content: EntryContent): string[] {
  const name = String(content.name ?? content.description)
    .toLowerCase()
    .replace(/(₦|\bn)\s?\d[\d,.]*|\d[\d,.]*\s?naira/g, "")
    .replace(/[^\p{L}\p{N}+]/gu, "");
  const size = bundleSize(content);
  const time = size && validityOf(content);
  const even = size && evenSize(size);
  return [...(name === "" ? [] : [`named ${name}`]), ...(time === undefined ? [] : [`${even} MB, ${time} hours`])];
}

/** Evens out sizes, because a GB may be 1,000 MB or 1,024 MB. */
function evenSize(size: number): number {
  return size >= 1000 && size % 500 === 0 ? (size / 1000) * 1024 : size;
}

/** Hours for which an entry is valid; undefined unless its duration or description states exactly one time. */
export function validityOf(content: EntryContent): number | undefined {
  return hoursIn(String(content.duration)) ?? hoursIn(String(content.description));
}

/**
 * What a mapping remembers of an entry: size in megabytes, validity in hours, class. The name is included only if
 * neither size nor validity can be read.
 */
export function rememberedOf(content: EntryContent): string {
  const size = bundleSize(content);
  const hours = validityOf(content);
  const isReadable = size !== undefined || hours !== undefined;
  const name = String(content.name ?? content.description)
    .toLowerCase()
    .replace(/\s+/g, " ");
  return JSON.stringify({
    ...(size !== undefined && { size: evenSize(size) }),
    ...(hours !== undefined && { hours }),
    ...(isReadable ? { class: classOf(content) } : { name }),
  });
}

/** Whether an entry differs from the remembered one: in a member that both have, or because only one has a name. */
export function disagrees(remembered: string, content: EntryContent): boolean {
  const before: Record<string, unknown> = JSON.parse(remembered);
  const now: Record<string, unknown> = JSON.parse(rememberedOf(content));
  const both = Object.keys(before).filter((member) => member in now);
  return both.length === 0 || both.some((member) => before[member] !== now[member]);
}

/** SME, gifting or corporate; empty if none of them. */
function classOf(content: EntryContent): string {
  const words = String(content.description ?? content.name).toLowerCase();
  return /\b(sme|gifting|corporate)\b/.exec(words)?.[1] ?? "";
}

/** Entries that may be the same under other codes. */
export interface Alike {
  readonly alike: readonly EntryContent[];
  /** Whether there is exactly one, and no other entry of ours looks like it. */
  readonly isClear: boolean;
}

/**
 * Finds the entries of `theirs` that look like an entry of `ours`, within one provider or product and one class (SME,
 * gifting, corporate): by name, else by size and validity.
 */
export async function alikeIn(
  list: ListName,
  ours: readonly EntryContent[],
  theirs: readonly EntryContent[],
): Promise<(content: EntryContent) => Alike> {
  if (theirs.length === 0) return () => ({ alike: [], isClear: false });
  const [ourLooks, theirLooks] = [await entriesByLook(list, ours), await entriesByLook(list, theirs)];
  return (content) => {
    const look = looksWithin(list, content).find((look) => theirLooks.has(look)) ?? "";
    const alike = theirLooks.get(look) ?? [];
    return { alike, isClear: alike.length === 1 && ourLooks.get(look)?.length === 1 };
  };
}

async function entriesByLook(
  list: ListName,
  contents: readonly EntryContent[],
): Promise<ReadonlyMap<string, EntryContent[]>> {
  const pause = pacer();
  const byLook = new Map<string, EntryContent[]>();
  for (const content of contents) {
    await pause();
    for (const look of looksWithin(list, content)) {
      const found = byLook.get(look);
      if (found) found.push(content);
      else byLook.set(look, [content]);
    }
  }
  return byLook;
}

function looksWithin(list: ListName, content: EntryContent): string[] {
  const group = groupOf(list, entryKeyOf(list, content));
  return looksOf(content).map((look) => `${group} ${classOf(content)} ${look}`);
}
