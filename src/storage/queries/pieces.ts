/** The longest piece. */
const most = 200;

/**
 * Cuts a list whose length differs each time into pieces of 200, 128, 64, 32 … 1, for statements that name each entry. A statement of another
 * length is another one: the engine compiles it and keeps it, and those of a few hundred lengths took tens of megabytes.
 */
export function piecesOf<Entry>(list: readonly Entry[]): Entry[][] {
  const pieces: Entry[][] = [];
  for (let from = 0; from < list.length; ) {
    const left = list.length - from;
    const length = left >= most ? most : 2 ** Math.floor(Math.log2(left));
    pieces.push(list.slice(from, from + length));
    from += length;
  }
  return pieces;
}
