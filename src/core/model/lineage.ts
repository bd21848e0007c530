/** The lineage of a sub-chain: its path from the root, and its share. Its parent writes it into the start. */

import { check } from '../lib/index.js';
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
export type TextSpan = readonly [start: number, end: number];

/** A part of a parent's budget: the limit of a sub-chain and all chains below it together. */
export interface Share {
  readonly tokens: number;
  /** US dollars; null if no chain above counts cost. */
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
  readonly sensitive: readonly TextSpan[];
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
  // Of an invalid start too: its search attributes are set before it is rejected.
  return input?.lineage?.path?.[0]?.chainId ?? chainId;
}

/** Returns the ids from the root to this chain. */
export function listPathIds({ chainId, input }: TreeMember): readonly string[] {
  return [...(input?.lineage?.path ?? []).map((ancestor) => ancestor.chainId), chainId];
}

export function findParent({ input }: Pick<TreeMember, 'input'>): Ancestor | null {
  return input?.lineage?.path.at(-1) ?? null;
}

/** Start and end. */
const checkSpan = check.refine(check.list(check.count), ({ length }) => length === 2, 'must be a start and an end');
export const checkSpans = check.list(checkSpan as check.Check<TextSpan>);

/** The part of a tool that visibility rules read. */
const checkSeenTool = check.shape<Pick<SeenTool, 'kind'>>({ kind: check.optional(check.text) });

const checkAncestor = check.shape<Ancestor>({
  chainId: check.text,
  agent: check.text,
  by: check.shape<StartingCall>({ call: check.text, tool: check.text, view: checkSeenTool }),
});

const checkLineage = check.shape<Lineage>({
  path: check.refine(
    check.list(checkAncestor),
    ({ length }) => length > 0 && length <= 100,
    'must have 1 to 100 ancestors',
  ),
  call: check.text,
  share: check.shape<Share>({
    ...{ tokens: check.count, timeMs: check.count, chains: check.count },
    usd: check.nullable(check.amount),
  }),
  maxDepth: check.count,
  answerTokens: check.count,
  sensitive: checkSpans,
  branch: check.optional(check.shape<Branch>({ steps: check.count, hypothesis: check.text })),
});

/** Returns whether a value is a valid lineage. Anybody can start a workflow with any input. */
export const isLineage = checkLineage.is;
export const isVisibilitySource = check.shape<VisibilitySource>({ chainId: check.text, lineage: checkLineage }).is;
