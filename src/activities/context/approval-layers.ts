/**
 * Asks each layer that has a say what it says of one call. User code runs here, in the worker: what is said is written
 * down by whoever asks.
 *
 * 1. A policy that fails has a person asked: what was not decided is not let through.
 * 2. Each policy is given arguments of its own: one that changes them changes nothing.
 */

import type { Agent } from '../../agents/define-agent.js';
import { type Json, own } from '../../core/lib/json.js';
import type { ToolSnapshot } from '../../core/model/agent.js';
import { defaults } from '../../core/model/defaults.js';
import type { State } from '../../core/model/state.js';
import type {
  Approval,
  ApprovalCase,
  ApprovalVerdict,
  ToolApprovals,
  WorkerApprovals,
} from '../../tools/approval/approval.js';
import { verdictCheck } from '../../tools/approval/check-approval.js';
import { type AskedTool, putTogether, type SaidOfCall, saidBy, saidByTool } from '../../tools/approval/said-of-call.js';
import { inTime, messageOf } from './failures.js';

/** Who is asked, and who hears of those that fail. */
export interface Askers {
  readonly agent: Agent;
  readonly approvals: WorkerApprovals;
  readonly warn: (message: string) => void;
}

/** The call that is asked about, and what the chain had come to when it was made. */
interface AskedCall {
  readonly tool: ToolSnapshot;
  readonly input: Json;
  readonly step: number;
  readonly spent: State['spent'];
}

/** Who has a say, from who has most. */
interface Layer {
  /** As the subject of a sentence in the middle of it. */
  readonly who: string;
  readonly approval: Approval;
  readonly said: (verdict: ApprovalVerdict) => SaidOfCall;
}

export async function saidOfCall(askers: Askers, state: State, call: AskedCall): Promise<SaidOfCall> {
  const tool = askedTool(call.tool, askers.agent);
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
  const layers = layersOf(askers, state, tool);
  return putTogether(await Promise.all(layers.map((each) => ask(each, tool, asCase, askers.warn))));
}

/** The word that a call which was denied is refused with. */
export function denialOf(tool: string, reason: string): string {
  return `${tool} was not allowed, and was not run: ${reason}`;
}

/** A tool that has become unsafe since the chain began is asked about as one that is. */
function askedTool({ name, effects }: ToolSnapshot, agent: Agent): AskedTool {
  return { name, effects: agent.tool(name)?.snapshot.effects === 'unsafe' ? 'unsafe' : effects };
}

function layersOf(
  { agent, approvals: { platform, tenants = {} } }: Askers,
  { input }: State,
  tool: AskedTool,
): readonly Layer[] {
  const tenant = input?.tenant ?? null;
  const layer = (who: string, approvals: ToolApprovals | undefined): Layer => ({
    who,
    approval: typeof approvals === 'function' ? approvals : own(approvals ?? {}, tool.name),
    said: (verdict) => saidBy(verdict, tool, `${capital(who)} wants calls of ${tool.name} to be approved.`),
  });
  return [
    layer('the platform', platform),
    ...(tenant === null ? [] : [layer(`tenant ${tenant}`, own(tenants, tenant))]),
    layer(`agent ${agent.name}`, agent.definition.approval),
    {
      who: `tool ${tool.name}`,
      approval: agent.tool(tool.name)?.approval,
      said: (verdict) => saidByTool(verdict, tool),
    },
  ];
}

async function ask(
  { who, approval, said }: Layer,
  tool: AskedTool,
  asCase: () => ApprovalCase,
  warn: Askers['warn'],
): Promise<SaidOfCall> {
  if (typeof approval !== 'function') return said(approval);
  try {
    const answered = await inTime((async () => approval(asCase()))(), defaults.checkMs);
    if (answered === null) throw new Error(`it took longer than ${defaults.checkMs} ms`);
    const wrong = verdictCheck(answered.value, 'what it says');
    if (wrong !== null) throw new Error(wrong);
    return said(answered.value);
  } catch (error) {
    const failed = `The approval policy of ${who} failed for a call of ${tool.name}`;
    warn(`${failed}, so that a person is asked: ${messageOf(error)}`);
    return saidBy({ reason: `${failed}: nobody but a person can say whether it may run.` }, tool, '');
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
