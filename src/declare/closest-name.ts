/** Splits a name into words: product_code, product-code and productCode all give product and code. */
export function wordsOf(name: string): string[] {
  const words = name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/);
  return words.filter(Boolean).map((word) => word.toLowerCase());
}

/** Returns the name with the smallest edit distance, or undefined if no name is close. */
export function closestName(word: string, names: readonly string[]): string | undefined {
  const meant = word.toLowerCase();
  let best: string | undefined;
  let least = Math.max(2, Math.floor(word.length * 0.4)) + 1;
  for (const name of names) {
    const distance = edits(meant, name.toLowerCase());
    if (distance < least && distance < name.length) {
      best = name;
      least = distance;
    }
  }
  return best;
}

/** Levenshtein distance: letters inserted, deleted or replaced. */
function edits(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const line = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = above[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      line.push(Math.min(replaced, above[column]! + 1, line[column - 1]! + 1));
    }
    above = line;
  }
  return above[to.length]!;
}
