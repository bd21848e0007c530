/**
 * Collects the text of a page as Markdown: headings, lists, tables, code. Whitespace collapses as in a browser. It knows no HTML
 * parser: `read-page.ts` reports elements and texts.
 */

export interface PageText {
  readonly text: (text: string) => void;
  readonly open: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly close: (name: string) => void;
  /** Characters so far. */
  readonly length: () => number;
  /** Returns the text between two lengths. */
  readonly slice: (from: number, to: number) => string;
}

const blocks: ReadonlySet<string> = new Set([
  ...[
    'address',
    'article',
    'blockquote',
    'body',
    'center',
    'dd',
    'details',
    'div',
    'dl',
    'dt',
    'fieldset',
    'figcaption',
  ],
  ...[
    'figure',
    'form',
    'header',
    'hgroup',
    'main',
    'ol',
    'p',
    'pre',
    'section',
    'summary',
    'table',
    'tbody',
    'thead',
    'ul',
  ],
]);

/** Blocks that follow each other without an empty line. */
const lines: ReadonlySet<string> = new Set(['dd', 'dt', 'figcaption', 'summary', 'tbody', 'thead']);

interface List {
  /** The number of the next item; null for a list without numbers. */
  next: number | null;
}

export function createPageText(): PageText {
  const pieces: string[] = [];
  let length = 0;
  /** Line breaks that are written before the next text. */
  let breaks = 0;
  let blank = false;
  let atStart = true;
  let preformatted = 0;
  let cells = 0;
  let isHeaderRow = false;
  const lists: List[] = [];

  const write = (text: string) => {
    pieces.push(text);
    length += text.length;
  };
  const flush = () => {
    if (length > 0 && breaks > 0) write('\n'.repeat(breaks));
    else if (blank && !atStart) write(' ');
    breaks = 0;
    blank = false;
    atStart = false;
  };
  const breakLine = (count: number) => {
    breaks = Math.max(breaks, count);
    blank = false;
    atStart = true;
  };
  const begin = (mark: string) => {
    flush();
    write(mark);
    atStart = true;
  };

  const openItem = () => {
    const list = lists.at(-1);
    breakLine(1);
    const mark = list?.next == null ? '-' : `${list.next++}.`;
    begin(`${'  '.repeat(Math.max(0, Math.min(lists.length, maxDepth) - 1))}${mark} `);
  };
  const closeRow = () => {
    if (cells === 0) return;
    write(' |');
    if (isHeaderRow) write(`\n|${' --- |'.repeat(Math.min(cells, maxCells))}`);
    breakLine(1);
    cells = 0;
  };

  return {
    text: (text) => {
      if (preformatted > 0) {
        flush();
        write(text);
        return;
      }
      for (const [index, word] of text.split(/[ \t\n\r\f\u00a0]+/).entries()) {
        if (index > 0) blank = true;
        if (word === '') continue;
        flush();
        write(cells > 0 ? word.replaceAll('|', '\\|') : word);
      }
    },
    open: (name, attributes) => {
      const heading = /^h([1-6])$/.exec(name)?.[1];
      if (heading !== undefined) {
        breakLine(2);
        begin(`${'#'.repeat(Number(heading))} `);
      } else if (name === 'ul' || name === 'ol') {
        breakLine(lists.length > 0 ? 1 : 2);
        lists.push({ next: name === 'ol' ? Number.parseInt(attributes.start ?? '1', 10) || 1 : null });
      } else if (name === 'li') openItem();
      else if (name === 'br') breakLine(1);
      else if (name === 'hr') {
        breakLine(2);
        begin('---');
        breakLine(2);
      } else if (name === 'pre') {
        breakLine(2);
        if (preformatted++ === 0) begin('```\n');
      } else if (name === 'tr') {
        breakLine(1);
        isHeaderRow = false;
      } else if (name === 'td' || name === 'th') {
        if (cells++ === 0) begin('| ');
        else begin(' | ');
        isHeaderRow ||= name === 'th';
      } else if (name === 'img' && attributes.alt?.trim()) {
        flush();
        write(`[image: ${attributes.alt.trim().replace(/\s+/g, ' ').slice(0, maxAltLength)}]`);
      } else if (blocks.has(name) && cells === 0) breakLine(lists.length > 0 || lines.has(name) ? 1 : 2);
    },
    close: (name) => {
      if (/^h[1-6]$/.test(name)) breakLine(2);
      else if (name === 'ul' || name === 'ol') {
        lists.pop();
        breakLine(lists.length > 0 ? 1 : 2);
      } else if (name === 'pre' && preformatted > 0) {
        if (--preformatted === 0) write('\n```');
        breakLine(2);
      } else if (name === 'tr') closeRow();
      else if (name === 'table') {
        closeRow();
        breakLine(2);
      } else if (blocks.has(name) && cells === 0) breakLine(lists.length > 0 || lines.has(name) ? 1 : 2);
    },
    length: () => length,
    slice: (from, to) => pieces.join('').slice(from, to).trim(),
  };
}

const maxDepth = 8;
const maxCells = 50;
const maxAltLength = 200;
