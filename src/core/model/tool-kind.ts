/**
 * Kinds of tools: why they are called, the line of their calls in a progress summary, the defaults of tools that state nothing themselves, and their
 * types in the format `reasoning`.
 *
 * K1 A default never opens more than the general one: no kind has less strict effects, approvals or sensitive paths.
 * K2 A line of a kind has only members that state how much there was, and no data.
 */

import { findOwn, formatCount, formatPlural } from '../lib/index.js';
import type { ToolView } from './agent.js';
import { defaults } from './defaults.js';

export interface KindDefaults {
  /** Milliseconds of one attempt. */
  readonly timeoutMs?: number;
  /** Used after the lines of the tool, and of the rules for its kind. */
  readonly view?: Pick<ToolView, 'summary'>;
}

/** Kinds that the format `reasoning` has. Others are `external` there. */
export const streamedTypes = ['external', 'skill', 'sub_agent', 'database', 'file_system'] as const;

export type StreamedType = (typeof streamedTypes)[number];

interface ToolKind {
  /** Why its tools are called, where nothing better is known. */
  readonly purpose?: string;
  /** Absent if the general line serves: `Made 2 custom calls`. */
  readonly formatCalls?: (times: number) => string;
  readonly defaults?: KindDefaults;
}

/** Kinds that rules may name: those of Longhand's own tools, and common ones. */
const toolKinds = {
  external: {
    purpose: 'To check an external source',
    formatCalls: (times) => `Checked ${formatPlural(times, 'external source')}`,
  },
  database: {
    purpose: 'To query a database',
    formatCalls: (times) => `Made ${times === 1 ? '1 database query' : `${formatCount(times)} database queries`}`,
    defaults: { view: { summary: '{rowCount} rows' } },
  },
  skill: { purpose: 'To use a skill', formatCalls: (times) => `Used ${formatPlural(times, 'skill')}` },
  file_system: {
    purpose: 'To work with files',
    formatCalls: (times) => `Made ${formatPlural(times, 'file operation')}`,
  },
  shell: {
    purpose: 'To run a command',
    formatCalls: (times) => `Ran ${formatPlural(times, 'command')}`,
    defaults: { timeoutMs: defaults.shellToolMs, view: { summary: 'Ran a command (exit code {exitCode})' } },
  },
  git: { purpose: 'To run a Git command', formatCalls: (times) => `Ran ${formatPlural(times, 'Git command')}` },
  llm: {
    purpose: 'To ask a model',
    formatCalls: (times) => `Made ${formatPlural(times, 'request')} to models`,
    defaults: { timeoutMs: defaults.modelTimeoutMs, view: { summary: 'Asked {model}' } },
  },
  memory: { purpose: 'To use the memory', formatCalls: (times) => `Used the memory ${formatTimes(times)}` },
  mcp: {
    purpose: 'To call an MCP server',
    formatCalls: (times) => `Made ${formatPlural(times, 'call')} of MCP servers`,
  },
  command: { purpose: 'To run a program', formatCalls: (times) => `Ran ${formatPlural(times, 'program')}` },
  question: { purpose: 'To ask a person', formatCalls: (times) => `Asked ${formatPlural(times, 'question')}` },
  wait: { purpose: 'To wait for a time or a signal', formatCalls: (times) => `Waited ${formatTimes(times)}` },
  sub_agent: {
    purpose: 'To delegate a part of the task',
    formatCalls: (times) => `Delegated ${formatPlural(times, 'task')}`,
  },
  plan: { formatCalls: (times) => `Updated the plan ${formatTimes(times)}` },
  /** Ends the chain, and is not counted. */
  finish: {},
  /** Tools that only compute: formulas, the time, queries of data in the conversation. */
  custom: { purpose: 'To compute a value' },
} satisfies Readonly<Record<string, ToolKind>>;

export type KnownToolKind = keyof typeof toolKinds;

export const knownToolKinds = Object.keys(toolKinds) as readonly KnownToolKind[];

/** The kind of a tool that states none. */
export const defaultToolKind = 'external' satisfies KnownToolKind;

/** Returns the defaults of a kind; empty for a kind that has none. */
export function getKindDefaults(kind: string): KindDefaults {
  return findKind(kind)?.defaults ?? {};
}

/** Returns why the tools of a kind are called; null for those that direct the chain itself. */
export function findKindPurpose(kind: string): string | null {
  const known = findKind(kind);
  return known === undefined ? `To make a call of the kind ${kind}` : (known.purpose ?? null);
}

/** Returns the line about a number of calls: `Made 3 file operations`. */
export function formatCallsOfKind(kind: string, times: number): string {
  return findKind(kind)?.formatCalls?.(times) ?? `Made ${formatPlural(times, `${kind} call`)}`;
}

export function getStreamedType(kind: string): StreamedType {
  return streamedTypes.find((type) => type === kind) ?? 'external';
}

function findKind(kind: string): ToolKind | undefined {
  return findOwn<ToolKind>(toolKinds, kind);
}

function formatTimes(times: number): string {
  return times === 1 ? 'once' : `${formatCount(times)} times`;
}
