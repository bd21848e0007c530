/** The lineage of a sub-chain: its path from the root, and its share. Its parent writes it into the start. */

import { isAmount, isCount } from '../lib/check-value.js';
import { isObject, type Json } from '../lib/json.js';
import type { SeenTool } from './agent.js';

export interface Ancestor {
  readonly chainId: string;
  readonly agent: string;
  /** The call that started the next chain in the path. */
  readonly by: StartingCall;
}

/** The part of a call that visibility rules read. Readers that see only the sub-chain apply them too. */
export interface StartingCall {
  /** For example `3.1`. */
  readonly call: string;
  readonly tool: string;
  /** The kind and the view options of the tool. */
  readonly view: SeenTool;
}

/** Start and end of a part of a text, in UTF-16 units. */
export type Span = readonly [start: number, end: number];

/** A part of a parent's budget: the limit of a sub-chain and all chains below it together. */
export interface Share {
  readonly tokens: number;
  /** US dollars; null where no chain above counts cost. */
  readonly usd: number | null;
  /** Milliseconds of work; waiting for people does not count. */
  readonly timeMs: number;
  /** Chains that may be started below. */
  readonly chains: number;
}

export interface Lineage {
  /** From the root to the parent. */
  readonly path: readonly Ancestor[];
  /** The parent's call that started it. */
  readonly call: string;
  readonly share: Share;
  /** The deepest level of this tree; the root's is 0. */
  readonly maxDepth: number;
  /** Tokens of the answer in its close: as much as the parent's model sees. The parent's history holds it. */
  readonly answerTokens: number;
  /** Parts of its input (task, line break, hypothesis) that are sensitive in a chain above. */
  readonly sensitive: readonly Span[];
  /** Only in a branch, which starts with steps of its parent and reads them from there. */
  readonly branch?: Branch;
}

/** The number of its parent's steps that a branch starts with; 0 for the task alone. */
export interface Branch {
  readonly steps: number;
  /** The hypothesis to try. */
  readonly hypothesis: string;
}

/** A sub-chain whose visibility another chain takes over. */
export interface VisibilitySource {
  readonly chainId: string;
  readonly lineage: Lineage;
}

interface TreeMember {
  readonly chainId: string;
  readonly input: { readonly lineage?: Lineage } | null;
}

export function getDepth({ input }: Pick<TreeMember, 'input'>): number {
  return input?.lineage?.path.length ?? 0;
}

export function getRootId({ chainId, input }: TreeMember): string {
  return input?.lineage?.path[0]?.chainId ?? chainId;
}

/** Returns the ids from the root to this chain. */
export function listPathIds({ chainId, input }: TreeMember): readonly string[] {
  return [...(input?.lineage?.path ?? []).map((ancestor) => ancestor.chainId), chainId];
}

export function findParent({ input }: Pick<TreeMember, 'input'>): Ancestor | null {
  return input?.lineage?.path.at(-1) ?? null;
}

/** Returns whether a value is a valid lineage. Anybody can start a workflow with any input. */
export function isLineage(value: Json | undefined): boolean {
  if (!isObject(value)) return false;
  const { path, call, share, maxDepth, answerTokens, branch, sensitive } = value;
  if (!Array.isArray(path) || path.length === 0 || path.length > 100 || !path.every(isAncestor)) return false;
  if (!Array.isArray(sensitive) || !sensitive.every(isSpan)) return false;
  return typeof call === 'string' && isShare(share) && isCount(maxDepth) && isCount(answerTokens) && isBranch(branch);
}

function isBranch(value: Json | undefined): boolean {
  if (value === undefined) return true;
  return isObject(value) && isCount(value.steps) && typeof value.hypothesis === 'string';
}

function isAncestor(value: Json): boolean {
  if (!isObject(value) || typeof value.chainId !== 'string' || typeof value.agent !== 'string') return false;
  return isStartingCall(value.by);
}

function isStartingCall(value: Json | undefined): boolean {
  if (!isObject(value) || typeof value.call !== 'string' || typeof value.tool !== 'string') return false;
  const { view } = value;
  return isObject(view) && (view.kind === undefined || typeof view.kind === 'string');
}

export function isSpan(value: Json): boolean {
  return Array.isArray(value) && value.length === 2 && value.every(isCount);
}

function isShare(value: Json | undefined): boolean {
  if (!isObject(value)) return false;
  const { tokens, usd, timeMs, chains } = value;
  return isCount(tokens) && isCount(timeMs) && isCount(chains) && (usd === null || isAmount(usd));
}
