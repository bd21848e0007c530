/** What a sub-chain is at, as it is told while a tree goes on, and who may know of it (L8). */

import type { Chain } from '../model/chain.js';
import type { ChainEntry } from '../state/entry.js';
import type { Reasoning, SubChain } from './reasoning.js';
import { startedProgress, toEndedProgress } from './sub-chain.js';
import type { Viewer, VisibilityConfig } from './visibility.js';
import { computeChildLevel } from './visibility-level.js';

/** Its task is left out: it is the argument of its call. */
export interface ChildStatus extends Omit<SubChain, 'chain' | 'task'> {
  /** From the outermost chain that is followed down to it, by their ids. */
  readonly path: readonly string[];
  /** The call of its parent that began it. */
  readonly call: string;
  /** What it waits for from people itself, not by way of those below it. */
  readonly requests: number;
}

/** A chain, and the call by which it began the next one down. */
export interface ParentCall {
  readonly chain: Pick<Reasoning, 'chainId' | 'agent' | 'tenant' | 'tools' | 'ancestry'>;
  readonly call: string;
  readonly tool: string;
}

export interface ChildUpdate {
  readonly child: ChildStatus;
  readonly parentCalls: readonly ParentCall[];
}

/** What a chain's own history tells of those that it began: that they run, and what they came to. */
export function listChildUpdates(
  entries: readonly ChainEntry[],
  { agent, tenant, tools, chainId, ancestry }: ParentCall['chain'],
  { steps }: Pick<Chain, 'steps'>,
): readonly ChildUpdate[] {
  const parent = { chainId, agent, tenant, tools, ...(ancestry === undefined ? {} : { ancestry }) };
  return entries.flatMap((entry): readonly ChildUpdate[] => {
    if (entry.type !== 'sub-chain-started' && entry.type !== 'sub-chain-ended') return [];
    const { call, tool } = entry;
    const id = entry.type === 'sub-chain-started' ? entry.chain.chainId : entry.chainId;
    const begun = steps
      .at(-1)
      ?.calls.flatMap(({ chains = [] }) => chains)
      .find((chain) => chain.chainId === id);
    const { chain: _, ...told } = entry.type === 'sub-chain-ended' ? toEndedProgress(entry.end) : startedProgress;
    const child = { chainId: id, path: [chainId, id], call, agent: begun?.agent ?? '', requests: 0, ...told };
    return [{ child, parentCalls: [{ chain: parent, call, tool }] }];
  });
}

/** Whoever may not know of a chain may not know of those below it. */
export function isVisibleTo(above: readonly ParentCall[], viewer: Viewer, config: VisibilityConfig): boolean {
  const [root] = above;
  return above.every(({ chain: { ancestry, ...chain }, call: id, tool }, at) => {
    const path = root === undefined ? '' : toPlace(root.chain.chainId, chain.chainId);
    const toolKind = chain.tools?.[tool]?.kind ?? 'external';
    // Of those below, this path itself says what is shown.
    const seen = at === 0 && ancestry !== undefined ? { ...chain, ancestry } : chain;
    return (
      computeChildLevel({ id, kind: 'tool_call', tool, toolKind }, { viewer, config, chain: seen, path }) !== 'hidden'
    );
  });
}

function toPlace(root: string, chainId: string): string {
  return chainId.startsWith(`${root}/`) ? `${chainId.slice(root.length + 1)}/` : '';
}
