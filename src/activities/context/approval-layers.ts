/**
 * Evaluates the approval policy of each layer for one call. User code runs here, in the worker; the caller records the
 * verdict.
 *
 * 1. A failed policy requires approval by a person: without a verdict a call does not run.
 * 2. Each policy gets its own copy of the arguments.
 */

import type { Agent } from '../../agents/index.js';
import { getRequester } from '../../core/engine/index.js';
import { findOwn, type Json, toErrorMessage } from '../../core/lib/index.js';
import { type Chain, type ChainState, defaults, findTask, type ToolSnapshot } from '../../core/model/index.js';
import { withTimeout } from '../../timing/index.js';
import {
  type Approval,
  type ApprovalCase,
  type ApprovalResult,
  type ApprovalTool,
  type ApprovalVerdict,
  checkVerdict,
  combineApprovals,
  type ToolApprovals,
  toApprovalResult,
  toToolApprovalResult,
  type WorkerApprovals,
} from '../../tools/define/index.js';

/** The policies' owners, and a function for warnings. */
export interface PolicyContext {
  readonly agent: Agent;
  readonly approvals: WorkerApprovals;
  readonly warn: (message: string) => void;
}

/** The call to evaluate, with the chain's spending when it was made. */
interface PolicyCall {
  readonly tool: ToolSnapshot;
  readonly input: Json;
  readonly step: number;
  readonly spent: ChainState['charged'];
  readonly thought: string | null;
  readonly planTask: ApprovalCase['planTask'];
}

/** One layer of policies; the platform comes first. */
interface ApprovalLayer {
  /** Name of the layer, inside a sentence. */
  readonly name: string;
  readonly approval: Approval;
  readonly interpret: (verdict: ApprovalVerdict) => ApprovalResult;
}

export async function evaluateApprovals(
  policies: PolicyContext,
  { state, steps }: Pick<Chain, 'state' | 'steps'>,
  call: PolicyCall,
): Promise<ApprovalResult> {
  const tool = toApprovalTool(call.tool, policies.agent);
  const asCase = (): ApprovalCase => ({
    tool: tool.name,
    effects: tool.effects,
    input: structuredClone(call.input),
    agent: policies.agent.name,
    chainId: state.chainId,
    step: call.step,
    ...getRequester(state),
    tokens: call.spent.tokens,
    costUsd: call.spent.usd,
    thought: call.thought,
    task: state.input?.task ?? '',
    planTask: call.planTask,
    dataClasses: state.dataClasses,
    // Not cloned: a chain may have thousands of steps.
    readSteps: () => steps.filter(({ number }) => number < call.step),
  });
  const layers = listLayers(policies, state, tool);
  return combineApprovals(await Promise.all(layers.map((layer) => evaluateLayer(layer, tool, asCase, policies.warn))));
}

/** Formats the rejection of a denied call. */
export function formatDenial(tool: string, reason: string): string {
  return `${tool} was denied and did not run: ${reason}`;
}

/** Returns the plan's task that a call serves; null without one. */
export function toPlanTask(
  { plan }: Pick<ChainState, 'plan'>,
  id: string | null | undefined,
): ApprovalCase['planTask'] {
  const task = findTask(plan ?? undefined, id ?? '');
  return task === null ? null : { id: task.id, description: task.description };
}

/** Formats the end of a chain by a policy. */
export function formatPolicyEnd(tool: string, reason: string): string {
  return `A policy ended the chain at a call of ${tool}, which did not run: ${reason}`;
}

/** Treats a tool as unsafe if it became unsafe after the chain started. */
function toApprovalTool({ name, effects }: ToolSnapshot, agent: Agent): ApprovalTool {
  return { name, effects: agent.tool(name)?.snapshot.effects === 'unsafe' ? 'unsafe' : effects };
}

function listLayers(
  { agent, approvals: { platform, tenants = {} } }: PolicyContext,
  { input }: ChainState,
  tool: ApprovalTool,
): readonly ApprovalLayer[] {
  const tenant = input?.tenant ?? null;
  const layer = (owner: string, approvals: ToolApprovals | undefined): ApprovalLayer => ({
    name: owner,
    approval: typeof approvals === 'function' ? approvals : findOwn(approvals ?? {}, tool.name),
    interpret: (verdict) =>
      toApprovalResult(verdict, tool, `${capitalize(owner)} requires approval of calls of ${tool.name}.`),
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
    const problem = checkVerdict(answered.value, 'its verdict');
    if (problem !== null) throw new Error(problem);
    return interpret(answered.value);
  } catch (error) {
    const failed = `The approval policy of ${name} failed for a call of ${tool.name}`;
    warn(`${failed}; a person must decide: ${toErrorMessage(error)}`);
    return toApprovalResult({ reason: `${failed}. A person must decide.` }, tool, '');
  }
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
