/** Combines the verdicts of all layers on one call: execute it, request approval, deny it, or end the chain. Pure. */

import { combineAllRules, createRequestRules, toRisk } from '../../../core/engine/index.js';
import { findOwn, omitUndefined, shorten } from '../../../core/lib/index.js';
import type { Effects, RequestRules } from '../../../core/model/index.js';
import { toMilliseconds } from '../../../options/index.js';
import type { ApprovalOptions, ApprovalVerdict } from './approval.js';

/** Characters of a reason: it is stored and shown with every request. */
const maxReasonCharacters = 2_000;

export type ApprovalResult =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'request'; readonly rules: RequestRules }
  | { readonly kind: 'grant' }
  | { readonly kind: 'deny' | 'end'; readonly reason: string };

export interface ApprovalTool {
  readonly name: string;
  readonly effects: Effects;
}

/** @param reason for the person who decides, if the verdict has none */
export function toApprovalResult(verdict: ApprovalVerdict, tool: ApprovalTool, reason: string): ApprovalResult {
  if (verdict === undefined || verdict === null || verdict === false) return { kind: 'nothing' };
  if (verdict === true) return { kind: 'request', rules: toRequestRules({}, tool, reason) };
  // An undefined member grants nothing.
  if ('grant' in verdict && verdict.grant === true) return { kind: 'grant' };
  for (const kind of ['deny', 'end'] as const) {
    const stated = findOwn<unknown>({ ...verdict }, kind);
    if (typeof stated === 'string') return { kind, reason: shorten(stated, maxReasonCharacters) };
  }
  return { kind: 'request', rules: toRequestRules(verdict as ApprovalOptions, tool, reason) };
}

/** As `toApprovalResult`, but an unsafe tool without a verdict needs approval. */
export function toToolApprovalResult(verdict: ApprovalVerdict, tool: ApprovalTool): ApprovalResult {
  const hasVerdict = verdict !== undefined && verdict !== null;
  if (hasVerdict || tool.effects !== 'unsafe')
    return toApprovalResult(verdict, tool, `Calls of ${tool.name} need approval.`);
  return toApprovalResult(true, tool, `${tool.name} is unsafe: a second call would repeat its effect.`);
}

/** @param layers the highest first: platform, tenant, agent, tool */
export function combineApprovals(layers: readonly ApprovalResult[]): ApprovalResult {
  const granted = layers.findIndex(({ kind }) => kind === 'grant');
  const effective = granted < 0 ? layers : layers.slice(0, granted);
  const refused = effective.find(({ kind }) => kind === 'end') ?? effective.find(({ kind }) => kind === 'deny');
  if (refused !== undefined) return refused;
  const rules = combineAllRules(effective.flatMap((result) => (result.kind === 'request' ? [result.rules] : [])));
  return rules === null ? { kind: 'nothing' } : { kind: 'request', rules };
}

export function toRequestRules(
  options: ApprovalOptions,
  { effects }: Pick<ApprovalTool, 'effects'>,
  reason: string,
): RequestRules {
  const { expires, escalate } = options;
  return createRequestRules({
    reason: shorten(options.reason ?? reason, maxReasonCharacters),
    risk: options.risk ?? toRisk(effects),
    ...omitUndefined({ roles: options.roles, approvers: options.approvers, byRequester: options.byRequester }),
    ...(expires === undefined ? {} : { expiresMs: expires === null ? null : toMilliseconds(expires) }),
    ...omitUndefined({ onExpiry: options.onExpiry }),
    ...(escalate === undefined
      ? {}
      : { escalation: { afterMs: toMilliseconds(escalate.after), roles: escalate.roles } }),
  });
}
