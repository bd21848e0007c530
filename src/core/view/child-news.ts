/** What a sub-chain is at, as it is told while a tree goes on, and who may know of it (L8). */

import type { Chain } from '../model/chain.js';
import type { Entry } from '../state/entry.js';
import { childLevelOf } from './level-of.js';
import type { Reasoning, SubChain } from './reasoning.js';
import { justBegun, toldOfEnd } from './sub-chain.js';
import type { Viewer, VisibilityConfig } from './visibility.js';

/** Its task is left out: it is the argument of its call. */
export interface ChildNews extends Omit<SubChain, 'chain' | 'task'> {
  /** From the outermost chain that is followed down to it, by their ids. */
  readonly path: readonly string[];
  /** The call of its parent that began it. */
  readonly call: string;
  /** What it waits for from people itself, not by way of those below it. */
  readonly requests: number;
}

/** A chain, and the call by which it began the next one down. */
export interface Begetter {
  readonly chain: Pick<Reasoning, 'chainId' | 'agent' | 'tenant' | 'tools' | 'descent'>;
  readonly call: string;
  readonly tool: string;
}

export interface News {
  readonly child: ChildNews;
  readonly above: readonly Begetter[];
}

/** What a chain's own history tells of those that it began: that they run, and what they came to. */
export function newsIn(
  entries: readonly Entry[],
  { agent, tenant, tools, chainId, descent }: Begetter['chain'],
  { steps }: Pick<Chain, 'steps'>,
): readonly News[] {
  const parent = { chainId, agent, tenant, tools, ...(descent === undefined ? {} : { descent }) };
  return entries.flatMap((entry): readonly News[] => {
    if (entry.type !== 'chainBegun' && entry.type !== 'chainEnded') return [];
    const { call, tool } = entry;
    const id = entry.type === 'chainBegun' ? entry.chain.chainId : entry.chainId;
    const begun = steps
      .at(-1)
      ?.calls.flatMap(({ chains = [] }) => chains)
      .find((chain) => chain.chainId === id);
    const { chain: _, ...told } = entry.type === 'chainEnded' ? toldOfEnd(entry.end) : justBegun;
    const child = { chainId: id, path: [chainId, id], call, agent: begun?.agent ?? '', requests: 0, ...told };
    return [{ child, above: [{ chain: parent, call, tool }] }];
  });
}

/** Whoever may not know of a chain may not know of those below it. */
export function mayKnow(above: readonly Begetter[], viewer: Viewer, config: VisibilityConfig): boolean {
  const [root] = above;
  return above.every(({ chain: { descent, ...chain }, call: id, tool }, at) => {
    const path = root === undefined ? '' : pathBelow(root.chain.chainId, chain.chainId);
    const toolKind = chain.tools?.[tool]?.kind ?? 'external';
    // Of those below, this path itself says what is shown.
    const seen = at === 0 && descent !== undefined ? { ...chain, descent } : chain;
    return childLevelOf({ id, kind: 'tool_call', tool, toolKind }, { viewer, config, chain: seen, path }) !== 'hidden';
  });
}

function pathBelow(root: string, chainId: string): string {
  return chainId.startsWith(`${root}/`) ? `${chainId.slice(root.length + 1)}/` : '';
}
