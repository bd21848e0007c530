/** A text as code in a line of Markdown, letter for letter, whatever is in it: the Web UI makes other signs of some of prose. */

export function code(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(0, ...runs.map(({ length }) => length)));
  const space = runs.length === 0 ? '' : ' ';
  return `${fence}${space}${text}${space}${fence}`;
}
