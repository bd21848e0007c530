/**
 * Asks each layer that has a say what it says of one call. User code runs here, in the worker: what is said is written
 * down by whoever asks.
 *
 * 1. A policy that fails has a person asked: what was not decided is not let through.
 * 2. Each policy is given arguments of its own: one that changes them changes nothing.
 */

import type { Agent } from '../../agents/define-agent.js';
import { findOwn, type Json } from '../../core/lib/json.js';
import type { ToolSnapshot } from '../../core/model/agent.js';
import { defaults } from '../../core/model/defaults.js';
import type { ChainState } from '../../core/model/state.js';
import type {
  Approval,
  ApprovalCase,
  ApprovalVerdict,
  ToolApprovals,
  WorkerApprovals,
} from '../../tools/approval/approval.js';
import { verdictCheck } from '../../tools/approval/check-approval.js';
import {
  type ApprovalResult,
  type ApprovalTool,
  combineApprovals,
  toApprovalResult,
  toToolApprovalResult,
} from '../../tools/approval/combine-approvals.js';
import { toErrorMessage, withTimeout } from './failures.js';

/** Who is asked, and who hears of those that fail. */
export interface PolicyContext {
  readonly agent: Agent;
  readonly approvals: WorkerApprovals;
  readonly warn: (message: string) => void;
}

/** The call that is asked about, and what the chain had come to when it was made. */
interface PolicyCall {
  readonly tool: ToolSnapshot;
  readonly input: Json;
  readonly step: number;
  readonly spent: ChainState['charged'];
}

/** Who has a say, from who has most. */
interface ApprovalLayer {
  /** As the subject of a sentence in the middle of it. */
  readonly name: string;
  readonly approval: Approval;
  readonly interpret: (verdict: ApprovalVerdict) => ApprovalResult;
}

export async function evaluateApprovals(
  askers: PolicyContext,
  state: ChainState,
  call: PolicyCall,
): Promise<ApprovalResult> {
  const tool = toApprovalTool(call.tool, askers.agent);
  const asCase = (): ApprovalCase => ({
    tool: tool.name,
    effects: tool.effects,
    input: structuredClone(call.input),
    agent: askers.agent.name,
    chainId: state.chainId,
    step: call.step,
    tenant: state.input?.tenant ?? null,
    user: state.input?.user ?? null,
    roles: [...(state.input?.roles ?? [])],
    tokens: call.spent.tokens,
    costUsd: call.spent.usd,
  });
  const layers = listLayers(askers, state, tool);
  return combineApprovals(await Promise.all(layers.map((each) => evaluateLayer(each, tool, asCase, askers.warn))));
}

/** The word that a call which was denied is refused with. */
export function formatDenial(tool: string, reason: string): string {
  return `${tool} was not allowed, and was not run: ${reason}`;
}

/** A tool that has become unsafe since the chain began is asked about as one that is. */
function toApprovalTool({ name, effects }: ToolSnapshot, agent: Agent): ApprovalTool {
  return { name, effects: agent.tool(name)?.snapshot.effects === 'unsafe' ? 'unsafe' : effects };
}

function listLayers(
  { agent, approvals: { platform, tenants = {} } }: PolicyContext,
  { input }: ChainState,
  tool: ApprovalTool,
): readonly ApprovalLayer[] {
  const tenant = input?.tenant ?? null;
  const layer = (who: string, approvals: ToolApprovals | undefined): ApprovalLayer => ({
    name: who,
    approval: typeof approvals === 'function' ? approvals : findOwn(approvals ?? {}, tool.name),
    interpret: (verdict) =>
      toApprovalResult(verdict, tool, `${capitalize(who)} wants calls of ${tool.name} to be approved.`),
  });
  return [
    layer('the platform', platform),
    ...(tenant === null ? [] : [layer(`tenant ${tenant}`, findOwn(tenants, tenant))]),
    layer(`agent ${agent.name}`, agent.definition.approval),
    {
      name: `tool ${tool.name}`,
      approval: agent.tool(tool.name)?.approval,
      interpret: (verdict) => toToolApprovalResult(verdict, tool),
    },
  ];
}

async function evaluateLayer(
  { name, approval, interpret }: ApprovalLayer,
  tool: ApprovalTool,
  asCase: () => ApprovalCase,
  warn: PolicyContext['warn'],
): Promise<ApprovalResult> {
  if (typeof approval !== 'function') return interpret(approval);
  try {
    const answered = await withTimeout((async () => approval(asCase()))(), defaults.checkMs);
    if (answered === null) throw new Error(`it took longer than ${defaults.checkMs} ms`);
    const wrong = verdictCheck(answered.value, 'what it says');
    if (wrong !== null) throw new Error(wrong);
    return interpret(answered.value);
  } catch (error) {
    const failed = `The approval policy of ${name} failed for a call of ${tool.name}`;
    warn(`${failed}, so that a person is asked: ${toErrorMessage(error)}`);
    return toApprovalResult({ reason: `${failed}: nobody but a person can say whether it may run.` }, tool, '');
  }
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
