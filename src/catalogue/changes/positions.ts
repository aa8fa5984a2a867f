/** Room between two neighbours for later entries. */
export const GAP = 2 ** 20;

/**
 * Ascending positions for entries, given their present ones. As many entries as possible keep theirs; the others go between
 * their neighbours. If there is no room, all get new positions.
 */
export function positionsOf(present: readonly (number | undefined)[]): number[] {
  const kept = longestAscent(present);
  const positions: number[] = new Array(present.length);
  let from = 0;
  let before: number | undefined;
  for (let at = 0; at <= present.length; at++) {
    const after = at < present.length ? present[at] : undefined;
    if (at < present.length && !kept.has(at)) continue;
    if (!fill(positions, from, at, before, after)) return present.map((_, place) => place * GAP);
    if (after !== undefined) positions[at] = after;
    before = after;
    from = at + 1;
  }
  return positions;
}

/** Fills the places between two kept positions; false if there is no room. */
function fill(positions: number[], from: number, end: number, before?: number, after?: number): boolean {
  const count = end - from;
  const step = before === undefined || after === undefined ? GAP : Math.floor((after - before) / (count + 1));
  if (count > 0 && step < 1) return false;
  const start = before ?? (after === undefined ? -GAP : after - GAP * (count + 1));
  for (let place = 0; place < count; place++) positions[from + place] = start + step * (place + 1);
  return true;
}

/** The places of a longest ascending run. */
function longestAscent(present: readonly (number | undefined)[]): Set<number> {
  /** The last place of the best run of each length. */
  const ends: number[] = [];
  const previous: number[] = new Array(present.length);
  for (const [place, position] of present.entries()) {
    if (position === undefined) continue;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (present[ends[middle]!]! < position) low = middle + 1;
      else high = middle;
    }
    previous[place] = low === 0 ? -1 : ends[low - 1]!;
    ends[low] = place;
  }
  const run = new Set<number>();
  for (let place = ends.at(-1) ?? -1; place >= 0; place = previous[place]!) run.add(place);
  return run;
}
