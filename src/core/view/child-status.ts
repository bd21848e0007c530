/** The status of sub-chains while a tree runs, and which viewers may see it (L8). */

import type { ChainEntry } from '../engine/index.js';
import type { Chain } from '../model/index.js';
import { toPlace } from './ancestry.js';
import type { Reasoning, SubChain } from './reasoning.js';
import { startedProgress, toEndedProgress } from './sub-chain.js';
import type { Viewer, VisibilityConfig } from './visibility.js';
import { computeChildLevel } from './visibility-level.js';

/** The status of a sub-chain, without its task: that is an argument of its call. */
export interface ChildStatus extends Omit<SubChain, 'chain' | 'task'> {
  /** Chain ids from the outermost followed chain down to it. */
  readonly path: readonly string[];
  /** The call of its parent that started it. */
  readonly call: string;
  /** Its own open requests, without those of the chains below it. */
  readonly requests: number;
}

/** A chain and its call that started the next chain below. */
export interface ParentCall {
  readonly chain: Pick<Reasoning, 'chainId' | 'agent' | 'tenant' | 'tools' | 'ancestry'>;
  readonly call: string;
  readonly tool: string;
}

export interface ChildUpdate {
  readonly child: ChildStatus;
  readonly parentCalls: readonly ParentCall[];
}

/** Returns updates of the sub-chains that a chain's own history contains: starts and ends. */
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
    const subChain = steps
      .at(-1)
      ?.calls.flatMap(({ chains = [] }) => chains)
      .find((chain) => chain.chainId === id);
    const { chain: _, ...progress } = entry.type === 'sub-chain-ended' ? toEndedProgress(entry.end) : startedProgress;
    const child = { chainId: id, path: [chainId, id], call, agent: subChain?.agent ?? '', requests: 0, ...progress };
    return [{ child, parentCalls: [{ chain: parent, call, tool }] }];
  });
}

/** Returns whether a viewer may see the sub-chain. A viewer who may not see a chain sees none below it. */
export function isVisibleTo(above: readonly ParentCall[], viewer: Viewer, config: VisibilityConfig): boolean {
  const [root] = above;
  return above.every(({ chain: { ancestry, ...chain }, call: id, tool }, at) => {
    const path = root === undefined ? '' : toPlace(root.chain.chainId, chain.chainId);
    const toolKind = chain.tools?.[tool]?.kind ?? 'external';
    // For the chains below, `path` contains the lineage.
    const viewed = at === 0 && ancestry !== undefined ? { ...chain, ancestry } : chain;
    return (
      computeChildLevel({ id, kind: 'tool_call', tool, toolKind }, { viewer, config, chain: viewed, path }) !== 'hidden'
    );
  });
}
