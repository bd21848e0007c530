/** What each layer says of one call, put together: run, ask by these rules, or refuse. Pure; who says what is found elsewhere. */

import { shorten } from '../../core/lib/display.js';
import type { Effects } from '../../core/model/agent.js';
import type { AskRules } from '../../core/model/ask.js';
import { askRules, riskOf, strictest } from '../../core/state/ask-rules.js';
import type { ApprovalOptions, ApprovalVerdict } from './approval.js';
import { milliseconds } from './duration.js';

/** Characters of a reason: it is stored, and shown, with every request. */
const longest = 2_000;

export type SaidOfCall =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'ask'; readonly rules: AskRules }
  | { readonly kind: 'grant' }
  | { readonly kind: 'deny'; readonly reason: string };

export interface AskedTool {
  readonly name: string;
  readonly effects: Effects;
}

/** @param reason for the person who is asked, where the verdict has none */
export function saidBy(verdict: ApprovalVerdict, tool: AskedTool, reason: string): SaidOfCall {
  if (verdict === undefined || verdict === null || verdict === false) return { kind: 'nothing' };
  if (verdict === true) return { kind: 'ask', rules: rulesOf({}, tool, reason) };
  // A member that is undefined says nothing, least of all yes.
  if ('grant' in verdict && verdict.grant === true) return { kind: 'grant' };
  if ('deny' in verdict && typeof verdict.deny === 'string') {
    return { kind: 'deny', reason: shorten(verdict.deny, longest) };
  }
  return { kind: 'ask', rules: rulesOf(verdict as ApprovalOptions, tool, reason) };
}

/** The tool is the one layer whose silence says something: an unsafe tool needs approval. */
export function saidByTool(verdict: ApprovalVerdict, tool: AskedTool): SaidOfCall {
  const silent = verdict === undefined || verdict === null;
  if (!silent || tool.effects !== 'unsafe') return saidBy(verdict, tool, `Calls of ${tool.name} need approval.`);
  return saidBy(true, tool, `${tool.name} is unsafe: a call of it does something that a second one would do again.`);
}

/** @param layers from who has most to say */
export function putTogether(layers: readonly SaidOfCall[]): SaidOfCall {
  const granted = layers.findIndex(({ kind }) => kind === 'grant');
  const heard = granted < 0 ? layers : layers.slice(0, granted);
  const denied = heard.find(({ kind }) => kind === 'deny');
  if (denied !== undefined) return denied;
  const rules = strictest(heard.flatMap((said) => (said.kind === 'ask' ? [said.rules] : [])));
  return rules === null ? { kind: 'nothing' } : { kind: 'ask', rules };
}

export function rulesOf(options: ApprovalOptions, { effects }: Pick<AskedTool, 'effects'>, reason: string): AskRules {
  const { expires, escalate } = options;
  return askRules({
    reason: shorten(options.reason ?? reason, longest),
    risk: options.risk ?? riskOf(effects),
    ...(options.roles === undefined ? {} : { roles: options.roles }),
    ...(options.approvers === undefined ? {} : { approvers: options.approvers }),
    ...(options.byRequester === undefined ? {} : { byRequester: options.byRequester }),
    ...(expires === undefined ? {} : { expiresMs: expires === null ? null : milliseconds(expires) }),
    ...(options.onExpiry === undefined ? {} : { onExpiry: options.onExpiry }),
    ...(escalate === undefined ? {} : { escalation: { afterMs: milliseconds(escalate.after), roles: escalate.roles } }),
  });
}
