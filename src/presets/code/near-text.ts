/** Helps a model that wants to change a text which is not there: shows the lines of the file that are most like it. */

/** Lines of the wanted text that are compared, and characters of a line that are shown. */
const compared = 50;
const shownCharacters = 200;
/** Around what is near. */
const shownLines = 12;

/** One sentence, and the lines with their numbers where there are some. */
export function nearText(content: string, wanted: string): string {
  const lines = content.split('\n');
  const words = wanted.split('\n').map(bare);
  const firstSaid = words.findIndex((line) => line !== '');
  if (firstSaid === -1) return 'Read the file, and write the text to replace as it stands there.';
  const best = bestStart(lines.map(bare), words.slice(0, compared));
  if (best.alike === 0) return 'Nothing in it is like that. Read the file, and write the text as it stands there.';
  const from = Math.max(0, best.start);
  const shown = lines.slice(from, Math.min(from + words.length, best.start + shownLines));
  const spaces = best.alike === words.filter((line) => line !== '').length;
  const why = spaces ? 'Only its spaces or line breaks differ from' : 'The nearest are';
  const numbered = shown.map((line, at) => `${from + at + 1}: ${line.replace(/\r$/, '').slice(0, shownCharacters)}`);
  return `${why} these lines; write the text to replace just as it stands there, without the numbers:\n${numbered.join('\n')}`;
}

/** Where the most lines of the wanted text stand, one below the other. */
function bestStart(lines: readonly string[], words: readonly string[]) {
  const at = new Map<string, number[]>();
  for (const [index, word] of words.entries()) if (says(word)) at.set(word, [...(at.get(word) ?? []), index]);
  const alike = new Map<number, number>();
  for (const [number, line] of lines.entries()) {
    for (const index of at.get(line) ?? []) alike.set(number - index, (alike.get(number - index) ?? 0) + 1);
  }
  let best = { start: 0, alike: 0 };
  for (const [start, found] of alike) if (found > best.alike) best = { start, alike: found };
  return best;
}

const bare = (line: string) => line.replace(/\s+/g, ' ').trim();

/** A brace alone is everywhere. */
const says = (line: string) => /[\p{L}\p{N}]/u.test(line);
