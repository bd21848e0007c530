/**
 * Asks policies which calls of a reply a person has to approve. User code runs here, in the worker; what it said goes
 * into the fact, and nobody asks it again.
 *
 * 1. Calls that are not run anyway are not asked about.
 * 2. A policy that fails has a person asked: what was not decided is not let through.
 */

import type { Agent } from '../agents/define-agent.js';
import type { ToolSnapshot } from '../core/agent.js';
import { settleUsage } from '../core/budget.js';
import { defaults } from '../core/defaults.js';
import { own } from '../core/json.js';
import type { Reply } from '../core/model.js';
import type { AskRules } from '../core/people/ask.js';
import type { Reading, RequestedCall } from '../core/reading.js';
import type { State } from '../core/state.js';
import type { Approval, ApprovalCase, ApprovalVerdict, ToolApprovals, WorkerApprovals } from '../tools/approval.js';
import { verdictCheck } from '../tools/check-approval.js';
import { type AskedTool, putTogether, type SaidOfCall, saidBy, saidByTool } from '../tools/said-of-call.js';
import { messageOf } from './failures.js';
import { inTime } from './in-time.js';

/** Who has a say, from who has most. */
interface Layer {
  /** As the subject of a sentence in the middle of it. */
  readonly who: string;
  readonly approval: Approval;
  readonly said: (verdict: ApprovalVerdict) => SaidOfCall;
}

export interface Approved {
  /** With what was denied as calls that are not run. */
  readonly reading: Reading;
  /** In the order of the reading's calls; null where none needs a person. */
  readonly approvals: readonly (AskRules | null)[] | null;
}

/** Who is asked, and who hears of those that fail. */
export interface Askers {
  readonly agent: Agent;
  readonly approvals: WorkerApprovals;
  readonly warn: (message: string) => void;
}

export async function approvalsOf(
  askers: Askers,
  state: State,
  { usage }: Pick<Reply, 'usage'>,
  reading: Reading,
): Promise<Approved> {
  if (reading.problem !== null || reading.answer !== null) return { reading, approvals: null };
  const { spent } = settleUsage(state, usage);
  const said = await Promise.all(
    reading.calls.map(async (call, index): Promise<SaidOfCall> => {
      const tool = toRun(state, call, index);
      if (tool === null) return { kind: 'nothing' };
      const asked = askedTool(tool, askers.agent);
      const asCase = (): ApprovalCase => ({
        tool: tool.name,
        effects: asked.effects,
        // Each policy has its own: one that changes it changes nothing.
        input: structuredClone(call.input),
        agent: askers.agent.name,
        chainId: state.chainId,
        step: state.steps + 1,
        tenant: state.input?.tenant ?? null,
        user: state.input?.user ?? null,
        roles: [...(state.input?.roles ?? [])],
        tokens: spent.tokens,
        costUsd: spent.usd,
      });
      const layers = layersOf(askers, state, asked);
      return putTogether(await Promise.all(layers.map((layer) => ask(layer, asked, asCase, askers.warn))));
    }),
  );
  const rules = said.map((each) => (each.kind === 'ask' ? each.rules : null));
  return {
    reading: { ...reading, calls: reading.calls.map((call, index) => withDenial(call, said[index])) },
    approvals: rules.some((each) => each !== null) ? rules : null,
  };
}

/** Null for a call that is not run anyway: refused, unknown, one too many, or a question. */
function toRun({ agent }: State, { tool: name, rejected }: RequestedCall, index: number): ToolSnapshot | null {
  const tool = agent?.tools.find((each) => each.name === name);
  if (tool === undefined || rejected !== null || index >= defaults.callsPerStep) return null;
  return tool.question === undefined ? tool : null;
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

function withDenial(call: RequestedCall, said: SaidOfCall | undefined): RequestedCall {
  if (said?.kind !== 'deny') return call;
  return { ...call, rejected: `${call.tool} was not allowed, and was not run: ${said.reason}` };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
