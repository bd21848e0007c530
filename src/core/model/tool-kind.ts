/**
 * Kinds of tools, and the defaults that the tools of a kind have where their definitions state nothing.
 *
 * K1 A default never opens more than the general one: no kind has less strict effects, approvals or sensitive paths.
 * K2 A line of a kind has only members that state how much there was, and no data.
 */

import { findOwn } from '../lib/json.js';
import type { ToolView } from './agent.js';
import { defaults } from './defaults.js';

/** The kind of a tool that states none. */
export const defaultToolKind = 'external';

export interface KindDefaults {
  /** Milliseconds of one attempt. */
  readonly timeoutMs?: number;
  /** Used after the lines of the tool, and of the rules for its kind. */
  readonly view?: Pick<ToolView, 'summary'>;
}

const kinds: { readonly [kind: string]: KindDefaults } = {
  database: { view: { summary: '{rowCount} rows' } },
  shell: { timeoutMs: defaults.shellToolMs, view: { summary: 'Ran a command (exit code {exitCode})' } },
  llm: { timeoutMs: defaults.modelTimeoutMs, view: { summary: 'Asked {model}' } },
};

/** Returns the defaults of a kind; empty for a kind that has none. */
export function getKindDefaults(kind: string): KindDefaults {
  return findOwn(kinds, kind) ?? {};
}
