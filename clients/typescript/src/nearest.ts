/** The word that `given` was probably meant to be; undefined where none is like it. */
export function nearest(given: string, words: readonly string[]): string | undefined {
  // Another notation of the same name is no difference.
  const plain = (word: string): string => word.replaceAll('_', '').toLowerCase();
  const [best] = words
    .map((word) => ({ word, edits: distance(plain(given), plain(word)) }))
    .sort((a, b) => a.edits - b.edits);
  return best && best.edits <= Math.max(1, Math.floor(given.length / 3)) ? best.word : undefined;
}

/** How many characters must be inserted, deleted or replaced (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, char] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const replaced = row[j]! + (char === b[j] ? 0 : 1);
      next.push(Math.min(replaced, row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
