/** Validates a delegation before any sub-chain starts. A rejection is an observation, so the chain continues (L4). */

import { countUtf8Bytes, toValueText } from '../../lib/index.js';
import { type AgentSnapshot, type ChainState, type Delegation, defaults, getDepth } from '../../model/index.js';
import { countCommittedChains } from '../state/budget-tree.js';

/** Returns the observation that rejects the delegation, or null. */
export function validateDelegation(state: ChainState, agent: AgentSnapshot, delegation: Delegation): string | null {
  return (
    validateNoCycle(state, agent, delegation) ??
    validateDepth(state, agent) ??
    validateTenant(state, delegation) ??
    validateChainCount(state, agent) ??
    validateTaskSize(state, delegation) ??
    validateIdLength(state)
  );
}

/**
 * Rejects an agent, or a judging agent, that is already on the path from the root. A branch has its parent's agent: it
 * closes no cycle, but may not branch again.
 */
function validateNoCycle(
  state: ChainState,
  agent: AgentSnapshot,
  { agent: target, spread, judge }: Delegation,
): string | null {
  const { input } = state;
  const branches = spread.kind === 'branches';
  if (branches && input?.lineage?.branch !== undefined) {
    return 'Not branched: this chain is already a branch. Continue without branching.';
  }
  const above = [...(input?.lineage?.path ?? []).map((ancestor) => ancestor.agent), agent.name];
  const all = [...(branches ? [] : [target]), ...(judge?.by === 'agent' ? [judge.agent] : [])];
  const repeatedAgent = all.find((name) => above.includes(name));
  if (repeatedAgent === undefined) return null;
  const from = above.indexOf(repeatedAgent);
  const cycle = [...above.slice(from), repeatedAgent].join(' → ');
  return `Not delegated: ${repeatedAgent} already runs above this chain (${cycle}), and a cycle would never end. Do it yourself, or in another way.`;
}

/** Limits the task's size: every branch is started with a copy. */
function validateTaskSize({ input }: ChainState, { spread }: Delegation): string | null {
  const bytes = spread.kind === 'branches' ? countUtf8Bytes(toValueText(input?.task ?? '')) : 0;
  if (bytes <= defaults.sharedTaskBytes) return null;
  return `Not branched: the task of this chain is ${bytes} bytes; the limit for branches is ${defaults.sharedTaskBytes}. Continue without branching.`;
}

/** Limits the sub-chain's id, which starts with its parent's: Temporal would reject a longer one on every retry. */
function validateIdLength({ chainId }: ChainState): string | null {
  const bytes = countUtf8Bytes(chainId) + maxIdSuffixBytes;
  if (bytes <= defaults.subChainIdBytes) return null;
  return `Not delegated: the id of the sub-chain would be up to ${bytes} bytes; the limit is ${defaults.subChainIdBytes}. Do it yourself.`;
}

/** As in `/12345.16.1000~99`. */
const maxIdSuffixBytes = 20;

function validateDepth(state: ChainState, agent: AgentSnapshot): string | null {
  const maxDepth = computeMaxDepth(state, agent);
  if (getDepth(state) < maxDepth) return null;
  if (maxDepth === 0)
    return 'Not delegated: the depth limit is 0, so this chain cannot start sub-chains. Do it yourself.';
  return `Not delegated: this chain has depth ${getDepth(state)}; the limit is ${maxDepth}. Do it yourself.`;
}

/** Returns the depth limit of the tree; an agent may set a lower one for chains below it. */
export function computeMaxDepth(state: ChainState, { limits }: AgentSnapshot): number {
  const inherited = state.input?.lineage?.maxDepth ?? Number.POSITIVE_INFINITY;
  return Math.min(inherited, getDepth(state) + (limits.depth ?? defaults.depth));
}

function validateTenant({ input }: ChainState, { agent, tenants }: Delegation): string | null {
  if (tenants === null || (input !== null && input.tenant !== null && tenants.includes(input.tenant))) return null;
  return `Not delegated: ${agent} belongs to another tenant and is not shared with this one.`;
}

/** Checked again before each start: other calls may have used up the sub-chains in the meantime. */
export function validateChainCount(state: ChainState, { limits }: AgentSnapshot): string | null {
  const max = limits.chains ?? defaults.maxSubChains;
  if (countCommittedChains(state) < max) return null;
  return `Not delegated: the limit of ${max} sub-chains is reached. Continue with what you have.`;
}
