/**
 * A chain as lines, before a printer gives them width, colours or Markdown. Their words are made once, here in
 * `core/print`; the printers of terminals, Markdown and reports only lay them out.
 */

import type { Json } from '../lib/json.js';
import type { TaskStatus } from '../model/plan.js';

/** What a text means. A terminal paints it; Markdown and plain text leave it out. */
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

export interface Span {
  readonly text: string;
  readonly style: Style;
}

export interface Label {
  /** `thinking`, `tool`: the kind of the line, in one or two words. */
  readonly kind: string;
  /** Of a tool or an agent, as a model may have written it. */
  readonly name: string | null;
  /** Printed instead of the kind where lines are short. */
  readonly sign: string | null;
  readonly style: Style;
}

/** A short remark in our words, or one with words of others, which Markdown must not render. */
export type Fact = string | { readonly said: string };

export interface Line {
  readonly label: Label;
  /** Words or a value of a model, a tool or a person. Empty for none. */
  readonly said: Json;
  /** `words` wrap. `arguments` and `value` are cut to one row; of `arguments` the members are printed. */
  readonly form: 'words' | 'arguments' | 'value';
  readonly style: Style;
  /** The most rows of words; null for all. */
  readonly rows: number | null;
  /** The state of a sub-chain. */
  readonly state: Span | null;
  readonly facts: readonly Fact[];
  /** Printed below it, a row each. */
  readonly notes: readonly string[];
  /** The id of a sub-chain, which other commands take: never cut. */
  readonly chainId: string | null;
  /** Set on the line where the chain went wrong: `failed here`. */
  readonly mark: string | null;
}

export interface Branch {
  readonly line: Line;
  readonly under: readonly Branch[];
}

const blank: Omit<Line, 'label'> = {
  ...{ said: '', form: 'words', style: 'plain', rows: null },
  ...{ state: null, facts: [], notes: [], chainId: null, mark: null },
};

export function lineOf(label: Label, more: Partial<Omit<Line, 'label'>> = {}): Line {
  return { ...blank, ...more, label };
}

/** A label that is written out: `[THINKING]`, `[TOOL: search]`. */
export function named(kind: string, style: Style, name: string | null = null): Label {
  return { kind, name, sign: null, style };
}

/** A label that is a sign where lines are short: `→`, `⚠`. */
export function signed(kind: string, sign: string, style: Style, name: string | null = null): Label {
  return { kind, name, sign, style };
}

/** A line with no label, such as a heading. */
export function bare(text: string, style: Style, more: Partial<Omit<Line, 'label'>> = {}): Line {
  return lineOf(signed('', '', style), { said: text, style, ...more });
}

/** Facts alone, without a label. */
export function factsLine(facts: readonly Fact[]): Line {
  return lineOf(signed('', '', 'faint'), { facts });
}

export function leaf(line: Line): Branch {
  return { line, under: [] };
}

export function factText(fact: Fact): string {
  return typeof fact === 'string' ? fact : fact.said;
}

/** `not_run` in words. */
export function inWords(name: string): string {
  return name.replaceAll('_', ' ');
}

export const taskStyles: { readonly [status in TaskStatus]: Style } = {
  pending: 'faint',
  in_progress: 'running',
  completed: 'good',
  failed: 'bad',
  blocked: 'warning',
};
