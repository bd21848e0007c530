/** Where a reading is in a text, and what it says when it cannot go on. */

export interface Cursor {
  readonly text: string;
  at: number;
}

/** Never leaves the readers that throw it: they return it as data. */
export class Unreadable extends Error {
  constructor(
    readonly at: number,
    message: string,
    readonly cut = false,
  ) {
    super(message);
  }
}

/** A place as a person or a model finds it. */
export function placeOf(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return `line ${line}, column ${at - before.lastIndexOf('\n')}`;
}
