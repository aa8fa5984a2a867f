import { pacer } from "../../runtime/pace.ts";
import { type EntryContent, entryKeyOf, groupOf, type ListName } from "./lists.ts";
import { bundleSize, hoursIn } from "./quantity.ts";

/** Two entries look alike if they share one of these: size and validity, or the name without prices, spaces and marks. */
export function looksOf(content: EntryContent): string[] {
  const name = String(content.name ?? content.description)
    .toLowerCase()
    .replace(/(₦|\bn)\s?\d[\d,.]*|\d[\d,.]*\s?naira/g, "")
    .replace(/[^\p{L}\p{N}+]/gu, "");
  const size = bundleSize(content);
  const time = size && (hoursIn(String(content.duration)) ?? hoursIn(String(content.description)));
  // A GB may be 1,000 MB or 1,024 MB.
  const even = size !== undefined && size >= 1000 && size % 500 === 0 ? (size / 1000) * 1024 : size;
  return [...(name === "" ? [] : [`named ${name}`]), ...(time === undefined ? [] : [`${even} MB, ${time} hours`])];
}

/** Which entries may be the same under other codes. */
export interface Alike {
  readonly alike: readonly EntryContent[];
  /** Whether it is one, and nothing else of ours looks like it. */
  readonly isClear: boolean;
}

/**
 * Finds which of `theirs` looks like an entry of `ours`, within one provider or product and one class (SME, gifting, corporate): by name, else by
 * size and validity.
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
  const words = String(content.description ?? content.name).toLowerCase();
  const kind = /\b(sme|gifting|corporate)\b/.exec(words)?.[1] ?? "";
  return looksOf(content).map((look) => `${group} ${kind} ${look}`);
}
