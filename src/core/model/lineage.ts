/** Where a sub-chain comes from, and what it may use: the part of its start that its parent writes. */

import { isCount } from '../lib/check-value.js';
import { isObject, type Json } from '../lib/json.js';
import type { ToolView } from './agent.js';

export interface Ancestor {
  readonly chainId: string;
  readonly agent: string;
  /** The call that started the next chain of the path. */
  readonly by: StartingCall;
}

/** As much of a call as rules on visibility depend on: a reader of the sub-chain alone applies them. */
export interface StartingCall {
  /** `3.1` */
  readonly call: string;
  readonly tool: string;
  /** How the tool says it is shown. */
  readonly view: ToolView;
}

/** Start and end of a part of a text, in UTF-16 units. */
export type Span = readonly [start: number, end: number];

/** A part of a tree's budget: nobody below may use more, together. */
export interface Share {
  readonly tokens: number;
  /** US dollars; null where no cost is counted above. */
  readonly usd: number | null;
  /** Milliseconds of work; waiting for people is none. */
  readonly timeMs: number;
  /** Chains that may be begun below. */
  readonly chains: number;
}

export interface Lineage {
  /** From the root to the parent. */
  readonly path: readonly Ancestor[];
  /** The parent's call that it was begun by. */
  readonly call: string;
  readonly share: Share;
  /** The depth that no chain of this tree may go below; the root's is 0. */
  readonly maxDepth: number;
  /** Tokens of its answer that its close carries: what its parent's model is shown of it, and its parent's history holds. */
  readonly answerTokens: number;
  /** Parts of what it is given (task, line break, hypothesis) that are sensitive in a chain above. */
  readonly sensitive: readonly Span[];
  /** Set where it goes on with the first steps of its parent, which it reads from there. */
  readonly branch?: Branch;
}

/** Which of its parent's steps a chain begins with; 0 for the task alone. */
export interface Branch {
  readonly steps: number;
  /** What it is to try. */
  readonly hypothesis: string;
}

/** A sub-chain that another chain is shown like. */
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

/** From the outermost chain down to this one, by their ids. */
export function listPathIds({ chainId, input }: TreeMember): readonly string[] {
  return [...(input?.lineage?.path ?? []).map((ancestor) => ancestor.chainId), chainId];
}

export function findParent({ input }: Pick<TreeMember, 'input'>): Ancestor | null {
  return input?.lineage?.path.at(-1) ?? null;
}

/** Anyone may have written what a chain is started with. */
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

function isSpan(value: Json): boolean {
  return Array.isArray(value) && value.length === 2 && value.every(isCount);
}

function isShare(value: Json | undefined): boolean {
  if (!isObject(value)) return false;
  const { tokens, usd, timeMs, chains } = value;
  return isCount(tokens) && isCount(timeMs) && isCount(chains) && (usd === null || isAmount(usd));
}

function isAmount(value: Json | undefined): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
