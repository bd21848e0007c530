/**
 * Collects the text of a page as Markdown: headings, lists, tables, code. Whitespace collapses as in a browser. It knows no HTML
 * parser: `read-page.ts` reports elements and texts.
 */

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

export class PageText {
  private readonly pieces: string[] = [];
  private length = 0;
  /** Line breaks that are written before the next text. */
  private breaks = 0;
  private blank = false;
  private atStart = true;
  private preformatted = 0;
  private cells = 0;
  private isHeaderRow = false;
  private readonly lists: List[] = [];

  text(text: string): void {
    if (this.preformatted > 0) {
      this.flush();
      this.write(text);
      return;
    }
    for (const [index, word] of text.split(/[ \t\n\r\f\u00a0]+/).entries()) {
      if (index > 0) this.blank = true;
      if (word === '') continue;
      this.flush();
      this.write(this.cells > 0 ? word.replaceAll('|', '\\|') : word);
    }
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const heading = /^h([1-6])$/.exec(name)?.[1];
    if (heading !== undefined) {
      this.breakLine(2);
      this.begin(`${'#'.repeat(Number(heading))} `);
    } else if (name === 'ul' || name === 'ol') {
      this.breakLine(this.lists.length > 0 ? 1 : 2);
      this.lists.push({ next: name === 'ol' ? Number.parseInt(attributes.start ?? '1', 10) || 1 : null });
    } else if (name === 'li') this.openItem();
    else if (name === 'br') this.breakLine(1);
    else if (name === 'hr') {
      this.breakLine(2);
      this.begin('---');
      this.breakLine(2);
    } else if (name === 'pre') {
      this.breakLine(2);
      if (this.preformatted++ === 0) this.begin('```\n');
    } else if (name === 'tr') {
      this.breakLine(1);
      this.isHeaderRow = false;
    } else if (name === 'td' || name === 'th') {
      if (this.cells++ === 0) this.begin('| ');
      else this.begin(' | ');
      this.isHeaderRow ||= name === 'th';
    } else if (name === 'img' && attributes.alt?.trim()) {
      this.flush();
      this.write(`[image: ${attributes.alt.trim().replace(/\s+/g, ' ').slice(0, maxAltLength)}]`);
    } else if (blocks.has(name) && this.cells === 0) this.breakLine(this.lists.length > 0 || lines.has(name) ? 1 : 2);
  }

  close(name: string): void {
    if (/^h[1-6]$/.test(name)) this.breakLine(2);
    else if (name === 'ul' || name === 'ol') {
      this.lists.pop();
      this.breakLine(this.lists.length > 0 ? 1 : 2);
    } else if (name === 'pre' && this.preformatted > 0) {
      if (--this.preformatted === 0) this.write('\n```');
      this.breakLine(2);
    } else if (name === 'tr') this.closeRow();
    else if (name === 'table') {
      this.closeRow();
      this.breakLine(2);
    } else if (blocks.has(name) && this.cells === 0) this.breakLine(this.lists.length > 0 || lines.has(name) ? 1 : 2);
  }

  /** Characters so far. */
  getLength(): number {
    return this.length;
  }

  /** Returns the text between two lengths. */
  slice(from: number, to: number): string {
    return this.pieces.join('').slice(from, to).trim();
  }

  private write(text: string): void {
    this.pieces.push(text);
    this.length += text.length;
  }

  private flush(): void {
    if (this.length > 0 && this.breaks > 0) this.write('\n'.repeat(this.breaks));
    else if (this.blank && !this.atStart) this.write(' ');
    this.breaks = 0;
    this.blank = false;
    this.atStart = false;
  }

  private breakLine(count: number): void {
    this.breaks = Math.max(this.breaks, count);
    this.blank = false;
    this.atStart = true;
  }

  private begin(mark: string): void {
    this.flush();
    this.write(mark);
    this.atStart = true;
  }

  private openItem(): void {
    const list = this.lists.at(-1);
    this.breakLine(1);
    const mark = list?.next == null ? '-' : `${list.next++}.`;
    this.begin(`${'  '.repeat(Math.max(0, Math.min(this.lists.length, maxDepth) - 1))}${mark} `);
  }

  private closeRow(): void {
    if (this.cells === 0) return;
    this.write(' |');
    if (this.isHeaderRow) this.write(`\n|${' --- |'.repeat(Math.min(this.cells, maxCells))}`);
    this.breakLine(1);
    this.cells = 0;
  }
}

const maxDepth = 8;
const maxCells = 50;
const maxAltLength = 200;
