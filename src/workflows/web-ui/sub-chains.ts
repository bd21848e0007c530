/** The sub-chains of running calls in the Web UI's details, with their progress as far as the parent knows it. */

import { workflowInfo } from '@temporalio/workflow';
import { type DelegatingCall, findDelegation, getChildAgent, listDelegatingCalls } from '../../core/engine/index.js';
import { formatTally } from '../../core/lib/index.js';
import type { AgentSnapshot, ChainState, Child, ChildProgress } from '../../core/model/index.js';
import { formatCode, formatList } from '../../core/view/index.js';

/** Formats a chain id for the Web UI: searchable text, and a link to its page. */
export function formatChainLink(chainId: string): string {
  const { namespace } = workflowInfo();
  const page = `/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(chainId)}`;
  return `[${formatCode(chainId)}](${page.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}

/** Sub-chains that are listed; the rest is counted. */
const maxListedChains = 20;

const progressLabels: { readonly [progress in ChildProgress]: string } = {
  queued: 'queued',
  ready: 'running',
  running: 'running',
  unread: 'ended, reading its history',
  reading: 'ended, reading its history',
  ok: '✓',
  failed: '■ failed',
};

export function formatSubChains(state: ChainState): readonly string[] {
  const { agent } = state;
  if (agent === null) return [];
  const all = listDelegatingCalls(state).flatMap((call) => call.children.map((child) => ({ call, child })));
  if (all.length === 0) return [];
  // Those that have not ended come first.
  const ordered = [...all].sort((a, b) => rankChild(a.child) - rankChild(b.child));
  const rest = ordered.slice(maxListedChains).map(({ child }) => progressLabels[child.progress]);
  const lines = [
    ...ordered.slice(0, maxListedChains).map(({ call, child }) => formatSubChainLine(agent, call, child)),
    ...(rest.length === 0 ? [] : [`and ${rest.length} more: ${formatTally(rest)}`]),
  ];
  return [`**Sub-chains**\n\n${formatList(lines)}`];
}

function rankChild({ progress }: Child): number {
  if (progress === 'running' || progress === 'ready') return 0;
  return progress === 'queued' ? 2 : 1;
}

/** A queued sub-chain has no page. */
function formatSubChainLine(agent: AgentSnapshot, call: DelegatingCall, child: Child): string {
  const { chainId, progress } = child;
  const delegation = findDelegation(agent, call);
  const who = delegation === null ? call.tool : getChildAgent(delegation, child);
  const where = progress === 'queued' ? chainId : formatChainLink(chainId);
  return `${who} · ${progressLabels[progress]} · ${where}`;
}
