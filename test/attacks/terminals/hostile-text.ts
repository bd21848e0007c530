/** Texts that control a terminal, hide text in it, or reverse the reading direction. */

export const hostile: Readonly<Record<string, string>> = {
  'title of the window': '\u001b]0;owned\u0007',
  'title ended by a new line': '\u001b]0;owned\n',
  'cleared screen': '\u001b[2J\u001b[H',
  clipboard: '\u001b]52;c;cHduZWQ=\u0007',
  link: '\u001b]8;;https://example.org\u001b\\here\u001b]8;;\u001b\\',
  'hidden text': '\u001b[8m',
  colour: '\u001b[32m',
  'report of the terminal': '\u001b[6n\u001b[c\u001bP$qm\u001b\\',
  'overwritten line': 'deny\rapprove',
  bell: '\u0007',
  backspace: 'deny\b\b\b\b',
  'control sequence of one character': '\u009b2J\u009d0;owned\u009c\u0090x\u009c\u0085',
  'reversed direction': '\u202eevil\u202c\u2066x\u2069\u200e\u200f\u061c',
  delete: '\u007f',
  'vertical tab': '\u000b\u000c',
  reset: '\u001bc',
};

export const hostileText = Object.values(hostile).join('x');

/** Returns whether a text has no control sequence except colours, and no character that reverses the direction. */
export function isSafe(text: string): boolean {
  const own = text.replace(ownColors, '');
  return !/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/u.test(own);
}

const ownColors = new RegExp(`${'\u001b'}\\[(?:1|2|22|3[1-6]|39|90)m`, 'g');
