/** The longest piece. */
const most = 64;

/**
 * Cuts a list whose length differs each time into pieces of 64, 32, 16 … 1, for statements that name each entry. A statement of another
 * length is another one: the engine compiles it and keeps it, and those of a few hundred lengths took tens of megabytes.
 */
export function piecesOf<Entry>(list: readonly Entry[]): Entry[][] {
  const pieces: Entry[][] = [];
  for (let from = 0; from < list.length; ) {
    const length = Math.min(most, 2 ** Math.floor(Math.log2(list.length - from)));
    pieces.push(list.slice(from, from + length));
    from += length;
  }
  return pieces;
}
