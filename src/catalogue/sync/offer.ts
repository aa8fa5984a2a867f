import { createHash } from "node:crypto";
import { pacer } from "../../runtime/pace.ts";
import type { LiveSource } from "../../upstreams/open-source.ts";
import type { Origin, Pulled } from "../../upstreams/ports/catalogue-source.ts";
import { readEntry } from "../files/entry.ts";
import { type EntryContent, entryKeyOf, type ListName, listShapeOf, nameOf } from "../model/lists.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { itemIn } from "../model/snapshot.ts";

/** A source that lists follow, as far as a pull needs it. */
export type SyncSource = Pick<LiveSource, "name" | "covers" | "pull">;

/** An entry that a source has under a good code, and that has a value no catalogue can hold. */
interface Unusable {
  readonly key: string;
  /** Such as "MTNDATA 104: its price cannot be used". */
  readonly sentence: string;
}

/** A list as a source has it: each entry once, the first where it stands there twice. */
export interface OfferedList {
  readonly list: ListName;
  readonly contents: readonly EntryContent[];
  readonly unusable: readonly Unusable[];
}

/** What a source has, as lists of the catalogue. */
export interface Offer {
  readonly lists: readonly OfferedList[];
  /** What the source has and no list can hold, in sentences. */
  readonly leftOut: readonly string[];
  readonly origin: Origin;
}

/** Asks a source for all that it covers, and changes nothing. Gives nothing of a list of which most cannot be read. */
export async function offerOf(
  { covers, pull }: SyncSource,
  signal: AbortSignal,
): Promise<Offer | Exclude<Pulled, { kind: "whole" }>> {
  const pulled = await pull(signal);
  if (pulled.kind !== "whole") return pulled;
  const lists: OfferedList[] = [];
  const leftOut = [...pulled.leftOut];
  for (const list of covers) {
    const given = pulled.lists[list];
    if (!given) return { kind: "incomplete", sentence: `It gave no ${list}.` };
    const { bad, ...read } = await readList(list, given, (sentence) => leftOut.push(sentence));
    if (bad > 1 && bad > given.length / 2)
      return { kind: "unreadable", sentence: `${bad} of its ${given.length} ${list} cannot be used.` };
    lists.push(read);
  }
  return { lists, leftOut, origin: pulled.origin ?? { asOf: null, isStale: false } };
}

/** Look-ups are answered meanwhile. */
async function readList(
  list: ListName,
  given: readonly object[],
  leaveOut: (sentence: string) => void,
): Promise<OfferedList & { bad: number }> {
  const pause = pacer();
  const contents = new Map<string, EntryContent>();
  const unusable = new Map<string, Unusable>();
  let bad = 0;
  for (const [at, members] of given.entries()) {
    await pause();
    const wrong: string[] = [];
    // A sentence about an entry begins with the name of the member.
    const content = readEntry(list, { ...members }, (sentence) => wrong.push(sentence.split(" ", 1)[0]!));
    const codes = listShapeOf(list).key;
    if (content) {
      const key = entryKeyOf(list, content);
      if (contents.has(key)) leaveOut(`${list}, ${nameOf(list, content)}: listed again, so only the first is kept.`);
      else contents.set(key, content);
    } else {
      bad += 1;
      const cannot = `its ${wrong.join(" and ")} cannot be used`;
      const named = members as EntryContent;
      if (wrong.some((member) => codes.includes(member))) leaveOut(`${list}, entry ${at + 1}: ${cannot}; left out.`);
      else {
        const key = entryKeyOf(list, named);
        unusable.set(key, { key, sentence: `${list}, ${nameOf(list, named)}: ${cannot}` });
      }
    }
  }
  for (const key of contents.keys()) unusable.delete(key);
  return { list, contents: [...contents.values()], unusable: [...unusable.values()], bad };
}

/** The entries of an offered list as the catalogue takes them: of a known one that cannot be used, the last good one stays. */
export function usable(base: Snapshot, { list, contents, unusable }: OfferedList) {
  const entries = [...contents];
  const leftOut: string[] = [];
  for (const { key, sentence } of unusable) {
    const known = itemIn(base, list, key);
    if (known) entries.push(known.content);
    leftOut.push(known ? `${sentence}; its last good entry stays.` : `${sentence}; left out.`);
  }
  return { entries, leftOut };
}

/** Alike for what would be alike in the catalogue, in whatever order it comes. */
export async function offerHash({ lists }: Offer): Promise<string> {
  const pause = pacer();
  const hash = createHash("sha256");
  for (const { list, contents, unusable } of lists) {
    const lines: string[] = unusable.map(({ key }) => key);
    for (const content of contents) {
      lines.push(JSON.stringify(content));
      await pause();
    }
    hash.update(`${list} ${lines.length}\n`);
    for (const line of lines.sort()) hash.update(`${line}\n`);
  }
  return hash.digest("base64url");
}
