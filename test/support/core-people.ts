/** People for tests of the core: their commands, short for a test, and random for a world. */

import type { Command, DecisionInput, ReceivedCommand } from '../../src/core/model/command.js';
import type { Fact, ModelReply } from '../../src/core/model/fact.js';
import type { PartialLimits } from '../../src/core/model/limits.js';
import { listDecidingRoles, type RequestRules } from '../../src/core/model/request.js';
import { listWaitingCalls } from '../../src/core/state/due-requests.js';
import { createRequestRules } from '../../src/core/state/request-rules.js';
import type { Breakpoint, ChainState, Json, RequestKind } from '../../src/index.js';
import { type Asked, asks } from './core-builders.js';

type DirectedFact = Extract<Fact, { type: 'commandReceived' }>;
export type SentCommand = Omit<DirectedFact, 'at'>;
type Who = Partial<Omit<ReceivedCommand, 'command'>>;

export function createCommand(direction: Command, who: Who = {}): SentCommand {
  return {
    type: 'commandReceived',
    id: null,
    chainId: null,
    by: 'ana',
    roles: [],
    reason: null,
    ...who,
    command: direction,
  };
}

export function decides(
  call: string,
  decision: DecisionInput,
  who: Who = {},
  digest: string | null = null,
): SentCommand {
  return createCommand({ kind: 'decide', call, digest, decision }, who);
}

export const steers = (text: string, who?: Who): SentCommand => createCommand({ kind: 'steer', text }, who);
export const pauses = (at: Breakpoint | null = null, who?: Who): SentCommand =>
  createCommand({ kind: 'pause', breakpoint: at }, who);
export const limits = (limits: PartialLimits, who?: Who): SentCommand => createCommand({ kind: 'limit', limits }, who);
export const resumes = (who?: Who): SentCommand => createCommand({ kind: 'resume' }, who);

export const rules = (given: Partial<RequestRules> = {}): RequestRules =>
  createRequestRules({ reason: 'It moves money.', risk: 'high', ...given });

/** A reply whose calls need approval, each by these rules or none. */
export function needs(approvals: readonly (RequestRules | null)[], ...calls: readonly Asked[]): ModelReply {
  return { ...asks(...calls), approvals };
}

/** Next number of a script, below `n`. */
type Choose = (n: number) => number;

/** Rules that always end by time: no person has to decide. */
export function someRules(choose: Choose): RequestRules {
  return rules({
    roles: [[], [], ['ops'], ['ops', 'lead']][choose(4)]!,
    approvers: [1, 1, 2, 3][choose(4)]!,
    byRequester: choose(3) > 0,
    expiresMs: [3_600_000, 60_000, 3_600_000, 1_000][choose(4)]!,
    onExpiry: choose(3) === 2 ? 'approve' : 'deny',
    escalation: choose(3) === 2 ? { afterMs: [500, 60_000][choose(2)]!, roles: ['boss'] } : null,
  });
}

const names = ['ana', 'ana', 'bob', null] as const;
const inputs: readonly Json[] = [{}, { a: 1 }, { to: 'Zürich 🏙'.repeat(20) }, null, 'x'];
const texts = ['Look again.', 'Zürich 🏙 '.repeat(40), 'Observation: all is paid.', ' '];

/** A command to the chain in this state, usually a sensible one. */
export function someCommand(state: ChainState, choose: Choose): SentCommand {
  const by = names[choose(names.length)]!;
  const open = listWaitingCalls(state);
  const call = open[choose(Math.max(1, open.length))];
  const may = call === undefined ? [] : listDecidingRoles(call.request, state.now);
  const who: Who = {
    by,
    roles: choose(4) === 3 ? [] : may.slice(0, 1),
    id: choose(4) === 3 ? `id-${choose(5)}` : null,
    chainId: choose(20) === 19 ? 'chain-9' : null,
  };
  if (call !== undefined && choose(4) < 3) {
    const digest = [null, call.key, call.key, 'stale'][choose(4)]!;
    return decides(choose(10) === 9 ? '9.9' : call.id, someDecision(call.request.kind, choose), who, digest);
  }
  return createCommand(someDirection(state, choose), who);
}

function someDecision(kind: RequestKind, choose: Choose): DecisionInput {
  const input = inputs[choose(inputs.length)]!;
  const decisions: readonly DecisionInput[] = {
    approval: [
      { kind: 'approve' },
      { kind: 'approve', always: true },
      { kind: 'approve', input },
      { kind: 'deny' },
      { kind: 'answer', answer: input },
    ] as const,
    outcome: [{ kind: 'happened', observation: input }, { kind: 'not_happened' }, { kind: 'give_up' }] as const,
    question: [{ kind: 'answer', answer: input }, { kind: 'deny' }] as const,
  }[choose(8) === 7 ? 'outcome' : kind];
  return decisions[choose(decisions.length)]!;
}

function someDirection({ agent, steps }: ChainState, choose: Choose): Command {
  const limits = agent?.limits;
  const directions: readonly Command[] = [
    { kind: 'steer', text: texts[choose(texts.length)]! },
    { kind: 'pause', breakpoint: null },
    { kind: 'resume' },
    { kind: 'pause', breakpoint: { step: steps + choose(3) } },
    { kind: 'pause', breakpoint: { costUsd: 0.01 * (1 + choose(3)) } },
    { kind: 'pause', breakpoint: { tool: ['pay', 'look', 'ghost'][choose(3)]! } },
    { kind: 'limit', limits: { steps: (limits?.steps ?? 0) + choose(2), timeMs: (limits?.timeMs ?? 0) + choose(2) } },
    { kind: 'limit', limits: { tokens: 1 } },
    { kind: 'unreadable', problem: 'It does not say what.' },
  ];
  return directions[choose(directions.length)]!;
}
