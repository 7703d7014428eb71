/** Letters of a word up to which no error is assumed, and up to which one is; longer ones may have two. */
const [NO_ERROR, ONE_ERROR] = [2, 5] as const;

/** The words with those that nothing has replaced by the nearest ones that occur; undefined if there are none. */
export function corrected(
  words: readonly string[],
  {
    occurs,
    vocabulary,
  }: { readonly occurs: (word: string) => boolean; readonly vocabulary: ReadonlyMap<string, number> },
): readonly string[] | undefined {
  const found: string[] = [];
  for (const word of words) {
    const near = occurs(word) ? word : nearestWord(word, vocabulary);
    if (near === undefined) return undefined;
    found.push(near);
  }
  return found.every((word, at) => word === words[at]) ? undefined : found;
}

/** The word with the fewest differences, of equal ones the most frequent. Cost: O(vocabulary × letters²). */
function nearestWord(word: string, vocabulary: ReadonlyMap<string, number>): string | undefined {
  const most = word.length <= NO_ERROR ? 0 : word.length <= ONE_ERROR ? 1 : 2;
  let best: { readonly word: string; readonly distance: number; readonly count: number } | undefined;
  for (const [other, count] of vocabulary) {
    if (other === "" || Math.abs(other.length - word.length) > most) continue;
    const distance = editDistance(word, other);
    if (distance > most) continue;
    if (best === undefined || distance < best.distance || (distance === best.distance && count > best.count)) {
      best = { word: other, distance, count };
    }
  }
  return best?.word;
}

/** Letters to add, drop, replace or swap with their neighbour: the optimal string alignment distance. */
export function editDistance(a: string, b: string): number {
  let [before, last] = [new Array<number>(b.length + 1).fill(0), Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      let least = Math.min((last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + cost);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        least = Math.min(least, (before[column - 2] ?? 0) + 1);
      }
      next.push(least);
    }
    [before, last] = [last, next];
  }
  return last[b.length] ?? 0;
}
