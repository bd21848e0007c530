/**
 * A chain as lines, without width, colours or Markdown. All texts are written in `core/view/print`; the printers of
 * terminal, Markdown and reports only lay them out.
 */

import type { Json } from '../../lib/index.js';
import type { TaskStatus } from '../../model/index.js';
import type { ContentBlock } from '../content-block.js';

/** Meaning of a text. A terminal shows it as colour; Markdown and plain text ignore it. */
export type Style =
  | 'plain'
  | 'heading'
  | 'thought'
  | 'call'
  | 'person'
  | 'good'
  | 'warning'
  | 'bad'
  | 'running'
  | 'faint';

interface StyledText {
  readonly text: string;
  readonly style: Style;
}

export interface LineLabel {
  /** `thinking`, `tool`: the kind of the line, in one or two words. */
  readonly kind: string;
  /** Name of a tool or an agent, as a model may have written it. */
  readonly name: string | null;
  /** Printed instead of the kind where lines are short. */
  readonly sign: string | null;
  readonly style: Style;
}

/** A short remark: Longhand's own text, or text from elsewhere, which Markdown must not render. */
export type Remark = string | { readonly text: string };

export interface Line {
  readonly label: LineLabel;
  /** Text or a value of a model, a tool or a person. Empty for none. */
  readonly content: Json;
  /** `words` wrap. `arguments` and `value` are cut to one row; of `arguments` the members are printed. */
  readonly form: 'words' | 'arguments' | 'value';
  readonly style: Style;
  /** Maximum rows of words; null for all. */
  readonly maxRows: number | null;
  /** The state of a sub-chain. */
  readonly state: StyledText | null;
  readonly remarks: readonly Remark[];
  /** Printed below the line, a row each. */
  readonly notes: readonly string[];
  /** The part of a running call that is done, from 0 to 1, drawn as a bar before the text. Null for no bar. */
  readonly share: number | null;
  /** Printed in full in place of the value, of which the content is the rest. */
  readonly block: ContentBlock | null;
  /** Id of a sub-chain. Never cut: other commands take it. */
  readonly chainId: string | null;
  /** Set on the line where the chain failed: `failed here`. */
  readonly mark: string | null;
}

export interface LineTree {
  readonly line: Line;
  readonly children: readonly LineTree[];
}

const emptyLine: Omit<Line, 'label'> = {
  content: '',
  form: 'words',
  style: 'plain',
  maxRows: null,
  state: null,
  remarks: [],
  notes: [],
  share: null,
  block: null,
  chainId: null,
  mark: null,
};

export function createLine(label: LineLabel, more: Partial<Omit<Line, 'label'>> = {}): Line {
  return { ...emptyLine, ...more, label };
}

/** A label in full: `[THINKING]`, `[TOOL: search]`. */
export function createNamedLabel(kind: string, style: Style, name: string | null = null): LineLabel {
  return { kind, name, sign: null, style };
}

/** A label that is a sign on short lines: `→`, `⚠`. */
export function createSignLabel(kind: string, sign: string, style: Style, name: string | null = null): LineLabel {
  return { kind, name, sign, style };
}

/** A line with no label, such as a heading. */
export function createBareLine(text: string, style: Style, more: Partial<Omit<Line, 'label'>> = {}): Line {
  return createLine(createSignLabel('', '', style), { content: text, style, ...more });
}

/** A line of remarks without a label. */
export function createRemarksLine(remarks: readonly Remark[]): Line {
  return createLine(createSignLabel('', '', 'faint'), { remarks });
}

export function createLeaf(line: Line): LineTree {
  return { line, children: [] };
}

export function toRemarkText(remark: Remark): string {
  return typeof remark === 'string' ? remark : remark.text;
}

/** `not_run` in words. */
export function toWords(name: string): string {
  return name.replaceAll('_', ' ');
}

export const taskStyles: { readonly [status in TaskStatus]: Style } = {
  pending: 'faint',
  in_progress: 'running',
  completed: 'good',
  failed: 'bad',
  blocked: 'warning',
};
