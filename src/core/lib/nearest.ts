/** Finds the known name that a user most likely meant. */

/**
 * Returns the name that is spelled almost the same (`stepz`, `require_thought`), or else the longest name that the word
 * contains (`maxSteps`); null for no match. Of a path, `limits.steps`, the last part is compared.
 */
export function findNearest(word: string, names: readonly string[]): string | null {
  const target = normalizeWord(word);
  const all = names.map((name) => ({ name, plain: normalizeWord(name.split('.').at(-1) ?? '') }));
  const close = all
    .map(({ name, plain }) => ({ name, edits: countEdits(target, plain) }))
    .filter(({ edits }) => edits <= 2 && edits * 2 < target.length)
    .sort((a, b) => a.edits - b.edits);
  const contained = all
    .filter(({ plain }) => plain.length > 2 && target.includes(plain))
    .sort((a, b) => b.plain.length - a.plain.length);
  return close[0]?.name ?? contained[0]?.name ?? null;
}

/** Returns the names, those spelled most alike first. */
export function sortByNearness(word: string, names: readonly string[]): readonly string[] {
  const target = normalizeWord(word);
  return names
    .map((name) => ({ name, edits: countEdits(target, normalizeWord(name)) }))
    .sort((a, b) => a.edits - b.edits)
    .map(({ name }) => name);
}

function normalizeWord(word: string): string {
  return word
    .slice(0, 64)
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase();
}

/** Counts characters to insert, delete or change (Levenshtein). */
export function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1];
    for (const [other, wanted] of [...to].entries()) {
      const [above = 0, diagonal = 0, left = 0] = [row[other + 1], row[other], next[other]];
      next.push(Math.min(above + 1, left + 1, diagonal + (letter === wanted ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
