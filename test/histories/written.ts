/** Stored JSON that is compact and reads well in a diff: one event, one turn, or one small value in a line. */

const widest = 120;

/** @param depth levels that are broken into lines; a value below is one line, however long */
export function formatLines(value: unknown, depth: number): string {
  return `${breakLines(value, depth, '')}\n`;
}

function breakLines(value: unknown, depth: number, indent: string): string {
  const line = JSON.stringify(value);
  if (depth === 0 || typeof value !== 'object' || value === null || indent.length + line.length <= widest) return line;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (member === undefined) return [];
    const text = breakLines(member, depth - 1, inner);
    return [`${inner}${isList ? '' : `${JSON.stringify(name)}: `}${text}`];
  });
  const [open, close] = isList ? '[]' : '{}';
  return `${open}\n${members.join(',\n')}\n${indent}${close}`;
}
