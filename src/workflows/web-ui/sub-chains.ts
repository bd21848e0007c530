/** The sub-chains of the calls under way, in the current details of the Web UI: what each is at, as far as its parent knows. */

import { workflowInfo } from '@temporalio/workflow';
import { tally } from '../../core/lib/display.js';
import type { AgentSnapshot } from '../../core/model/agent.js';
import type { Child, ChildProgress } from '../../core/model/child.js';
import type { State } from '../../core/model/state.js';
import { code, list } from '../../core/print/markdown.js';
import { agentOf, type DelegatingCall, delegating, delegationOf } from '../../core/state/children.js';

/** Another chain in the Web UI's own texts: its id, as it can be searched for, and as a link to its page. */
export function chainLink(chainId: string): string {
  const { namespace } = workflowInfo();
  const page = `/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(chainId)}`;
  return `[${code(chainId)}](${page.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}

/** Sub-chains that are named; of more it is told how many there are. */
const most = 20;

const words: { readonly [progress in ChildProgress]: string } = {
  queued: 'queued',
  asked: 'running',
  running: 'running',
  unread: 'ended, its history is read',
  reading: 'ended, its history is read',
  ok: '✓',
  failed: '■ failed',
};

export function subChainsText(state: State): readonly string[] {
  const { agent } = state;
  if (agent === null) return [];
  const all = delegating(state).flatMap((call) => call.children.map((child) => ({ call, child })));
  if (all.length === 0) return [];
  // Those that something is still to come of stand first.
  const ordered = [...all].sort((a, b) => rank(a.child) - rank(b.child));
  const rest = ordered.slice(most).map(({ child }) => words[child.progress]);
  const lines = [
    ...ordered.slice(0, most).map(({ call, child }) => lineOf(agent, call, child)),
    ...(rest.length === 0 ? [] : [`and ${rest.length} more: ${tally(rest)}`]),
  ];
  return [`**Sub-chains**\n\n${list(lines)}`];
}

function rank({ progress }: Child): number {
  if (progress === 'running' || progress === 'asked') return 0;
  return progress === 'queued' ? 2 : 1;
}

/** One that is queued is not there yet: there is no page to go to. */
function lineOf(agent: AgentSnapshot, call: DelegatingCall, child: Child): string {
  const { chainId, progress } = child;
  const delegation = delegationOf(agent, call);
  const who = delegation === null ? call.tool : agentOf(delegation, child);
  const where = progress === 'queued' ? chainId : chainLink(chainId);
  return `${who} · ${words[progress]} · ${where}`;
}
