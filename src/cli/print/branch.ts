/** Lines as a tree, with `├─` and `└─` before what hangs from what. */

export interface Branch {
  /** Its lines, none wider than the room that is left. */
  readonly lines: (room: number) => readonly string[];
  readonly under: readonly Branch[];
}

/** @param paint colours the drawing */
export function treeLines(
  branches: readonly Branch[],
  width: number,
  paint: (drawing: string) => string,
  before = '',
): readonly string[] {
  return branches.flatMap((branch, at) => {
    const last = at === branches.length - 1;
    const own = before + (last ? '└─ ' : '├─ ');
    const rest = before + (last ? '   ' : '│  ');
    // What hangs below goes on with a line beside the text.
    const beside = branch.under.length > 0 ? `${rest}│  ` : rest;
    const [first = '', ...more] = branch.lines(Math.max(20, width - beside.length));
    return [
      paint(own) + first,
      ...more.map((line) => paint(rest) + line),
      ...treeLines(branch.under, width, paint, rest),
    ];
  });
}
