/** Formats an audit entry in a few words: the last column of a list, after time, person and chain. */

import type { AuditEntry, EntryWithContents } from '../../core/audit/index.js';
import { formatArguments, formatCount, formatUsd, shorten } from '../../core/lib/index.js';

export function formatEntry(entry: AuditEntry): string {
  switch (entry.type) {
    case 'chain_started':
      return entry.what.parent === null ? '' : `by ${entry.what.parent.chainId}, call ${entry.what.parent.call}`;
    case 'agent_prepared':
      return [
        ...(entry.what.version === null ? [] : [`version ${entry.what.version}`]),
        `${entry.what.model}, ${formatCount(entry.what.tools.length)} tools`,
      ].join(', ');
    case 'agent_failed':
      return entry.what.failure;
    case 'model_called':
      return [
        `${entry.what.call}: ${entry.what.model}`,
        ...(entry.what.provider === null ? [] : [`from ${entry.what.provider}`]),
        formatUsd(entry.what.costUsd),
      ].join(', ');
    case 'model_failed':
      return `${entry.what.call}: ${entry.what.kind}`;
    case 'tool_called':
      return `${entry.what.call} ${entry.what.tool}`;
    case 'tool_ended':
      return [
        `${entry.what.call} ${entry.what.tool}: ${entry.what.status}`,
        ...(entry.what.costUsd === undefined ? [] : [formatUsd(entry.what.costUsd)]),
      ].join(', ');
    case 'call_not_permitted':
      return `${entry.what.call} ${entry.what.tool}, for ${entry.what.required.join(' or ')}`;
    case 'approval_requested':
      return `${entry.what.call} ${entry.what.tool}, ${entry.what.risk} risk`;
    case 'decided':
      return `${entry.what.call} ${entry.what.tool}: ${entry.what.decision}`;
    case 'command_received':
      return entry.what.command;
    case 'command_rejected':
    case 'budget_rejected':
    case 'cancel_requested':
      return '';
    case 'policy_checked':
    case 'judged':
      return `step ${formatCount(entry.what.step)}: ${entry.what.verdict}`;
    case 'plan_made':
      return `revision ${entry.what.revision}: ${entry.what.tasks.join(', ')}`;
    case 'sub_chain_started':
      return `${entry.what.call} ${entry.what.subChain}`;
    case 'sub_chain_ended':
      return `${entry.what.call} ${entry.what.subChain}: ${entry.what.outcome}`;
    case 'chain_ended':
      return `${entry.what.outcome} in ${formatCount(entry.what.steps)} steps`;
    case 'content_viewed':
      return `as ${entry.what.role}, with ${entry.what.command}`;
    case 'exported':
      return `as ${entry.what.format}`;
    case 'erased':
      return `${formatCount(entry.what.contents)} contents of ${formatCount(entry.what.chains.length)} chains (${entry.what.scope})`;
    case 'verified':
      return entry.what.problem ?? `${formatCount(entry.what.entries)} entries are intact`;
    case 'accepted':
      return `signed as it is: ${entry.what.fault}`;
    case 'key_created':
      return `${entry.what.key} (${entry.what.name}) for ${entry.what.user ?? 'a service'}: ${entry.what.scopes.join(', ')}`;
    case 'key_revoked':
      return `${entry.what.key} (${entry.what.name})`;
    case 'webhook_created':
      return `${entry.what.webhook} to ${entry.what.host}: ${entry.what.events.join(', ')}`;
    case 'webhook_deleted':
      return `${entry.what.webhook} to ${entry.what.host}`;
    case 'budget_changed':
      return `${entry.what.budget}: ${entry.what.change}`;
  }
}

/** Formats the contents of an entry, one line a part; a part without content is listed with the reason. */
export function formatContents({ entry, contents }: EntryWithContents): readonly string[] {
  return entry.contents.map(({ part, stored: storedDigest }) => {
    const content = contents.find((content) => content.part === part);
    if (content !== undefined) return `${part}: ${shorten(formatArguments(content.content), 1_000)}`;
    return `${part}: ${storedDigest === undefined ? '(only its digest is stored)' : '(erased)'}`;
  });
}
