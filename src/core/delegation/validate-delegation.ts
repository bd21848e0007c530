/**
 * Delegations that are not begun, and what the model is told instead: it can go on (L4). Asked before anything starts.
 */

import { countUtf8Bytes, toValueText } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import { defaults } from '../model/defaults.js';
import type { Delegation } from '../model/delegation.js';
import { getDepth } from '../model/lineage.js';
import type { ChainState } from '../model/state.js';
import { countCommittedChains } from '../state/budget-tree.js';

/** Null for one that may be begun. */
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

/** A branch is the chain itself, which goes on: it begins no circle, and may not branch again. Who judges is asked too. */
function validateNoCycle(
  state: ChainState,
  agent: AgentSnapshot,
  { agent: asked, spread, judge }: Delegation,
): string | null {
  const { input } = state;
  const branches = spread.kind === 'branches';
  if (branches && input?.lineage?.branch !== undefined) {
    return 'Not branched: this is a branch already. Go on by yourself.';
  }
  const above = [...(input?.lineage?.path ?? []).map((ancestor) => ancestor.agent), agent.name];
  const all = [...(branches ? [] : [asked]), ...(judge?.by === 'agent' ? [judge.agent] : [])];
  const wanted = all.find((each) => above.includes(each));
  if (wanted === undefined) return null;
  const from = above.indexOf(wanted);
  const circle = [...above.slice(from), wanted].join(' → ');
  return `Not delegated: ${wanted} is at work above already (${circle}), and delegating in a circle never ends. Do it yourself, or another way.`;
}

/** Each branch is started with it. */
function validateTaskSize({ input }: ChainState, { spread }: Delegation): string | null {
  const bytes = spread.kind === 'branches' ? countUtf8Bytes(toValueText(input?.task ?? '')) : 0;
  if (bytes <= defaults.sharedTaskBytes) return null;
  return `Not branched: the task of this chain has ${bytes} bytes, and ${defaults.sharedTaskBytes} are the most that is given to several. Go on by yourself.`;
}

/** The id of a sub-chain begins with that of its parent; Temporal rejects a command with a longer one, again and again. */
function validateIdLength({ chainId }: ChainState): string | null {
  const bytes = countUtf8Bytes(chainId) + maxIdSuffixBytes;
  if (bytes <= defaults.subChainIdBytes) return null;
  return `Not delegated: the id of the sub-chain would have up to ${bytes} bytes, and ${defaults.subChainIdBytes} are the most. Do it yourself.`;
}

/** As in `/12345.16.1000~99`. */
const maxIdSuffixBytes = 20;

function validateDepth(state: ChainState, agent: AgentSnapshot): string | null {
  const most = computeMaxDepth(state, agent);
  if (getDepth(state) < most) return null;
  if (most === 0)
    return 'Not delegated: the limit of depth is 0, which lets this chain begin no others. Do it yourself.';
  return `Not delegated: this chain is ${getDepth(state)} deep, and chains may be ${most} deep at most. Do it yourself.`;
}

/** What the tree allows; an agent may allow less below itself. */
export function computeMaxDepth(state: ChainState, { limits }: AgentSnapshot): number {
  const inherited = state.input?.lineage?.maxDepth ?? Number.POSITIVE_INFINITY;
  return Math.min(inherited, getDepth(state) + (limits.depth ?? defaults.depth));
}

function validateTenant({ input }: ChainState, { agent, tenants }: Delegation): string | null {
  if (tenants === null || (input !== null && input.tenant !== null && tenants.includes(input.tenant))) return null;
  return `Not delegated: ${agent} belongs to another tenant and is not shared with this one.`;
}

/** Also of a call that was let in, when others have used up what there was. */
export function validateChainCount(state: ChainState, { limits }: AgentSnapshot): string | null {
  const most = limits.chains ?? defaults.chains;
  if (countCommittedChains(state) < most) return null;
  return `Not delegated: all ${most} sub-chains that this chain may have are begun. Go on with what you have.`;
}
