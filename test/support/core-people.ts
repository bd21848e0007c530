/** Commands of people for tests of the core: short to write, or random for an environment. */

import { listWaitingCalls } from '../../src/core/engine/state/due-requests.js';
import { createRequestRules } from '../../src/core/engine/state/request-rules.js';
import type { Command, DecisionInput, ReceivedCommand } from '../../src/core/model/command.js';
import type { Fact, ModelReply } from '../../src/core/model/fact.js';
import type { PartialLimits } from '../../src/core/model/limits.js';
import { listDecidingRoles, type RequestRules } from '../../src/core/model/request.js';
import type { Breakpoint } from '../../src/entries/client.js';
import type { ChainState } from '../../src/entries/view.js';
import type { Json, RequestKind } from '../../src/index.js';
import { toStoredLimits } from '../../src/options/index.js';
import { type Asked, asks } from './core-builders.js';

type CommandFact = Extract<Fact, { type: 'commandReceived' }>;
export type SentCommand = Omit<CommandFact, 'at'>;
type Sender = Partial<Omit<ReceivedCommand, 'command'>>;

export function createCommand(command: Command, sender: Sender = {}): SentCommand {
  return {
    type: 'commandReceived',
    id: null,
    chainId: null,
    by: 'ana',
    roles: [],
    reason: null,
    ...sender,
    command,
  };
}

export function decides(
  call: string,
  decision: DecisionInput,
  sender: Sender = {},
  digest: string | null = null,
): SentCommand {
  return createCommand({ kind: 'decide', call, digest, decision }, sender);
}

export const steers = (text: string, sender?: Sender): SentCommand => createCommand({ kind: 'steer', text }, sender);
export const pauses = (at: Breakpoint | null = null, sender?: Sender): SentCommand =>
  createCommand({ kind: 'pause', breakpoint: at }, sender);
export const limits = (limits: PartialLimits, sender?: Sender): SentCommand =>
  createCommand({ kind: 'limit', limits }, sender);
export const signals = (name: string, data: Json = null, sender?: Sender): SentCommand =>
  createCommand({ kind: 'signal', name, data }, sender);
export const resumes = (sender?: Sender): SentCommand => createCommand({ kind: 'resume', call: null }, sender);
export const endsWait = (call: string, sender?: Sender): SentCommand => createCommand({ kind: 'resume', call }, sender);

export const rules = (given: Partial<RequestRules> = {}): RequestRules =>
  createRequestRules({ reason: 'It moves money.', risk: 'high', ...given });

/** A reply whose calls need approval by these rules; null for a call that needs none. */
export function needs(approvals: readonly (RequestRules | null)[], ...calls: readonly Asked[]): ModelReply {
  return { ...asks(...calls), approvals };
}

/** Returns the next number of a script, below `n`. */
type Choose = (n: number) => number;

/** Rules of a request that always expires, so that it ends without a person. */
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

/** Answers the question of a chain at a limit as it proposes; resumes any other paused chain. */
export function answersPause({ paused }: ChainState): SentCommand {
  const raise = paused?.question?.raise ?? null;
  return raise === null ? resumes() : limits(toStoredLimits(raise));
}

/** Returns a command to the chain in this state, usually a valid one. */
export function someCommand(state: ChainState, choose: Choose): SentCommand {
  const by = names[choose(names.length)]!;
  const open = listWaitingCalls(state);
  const call = open[choose(Math.max(1, open.length))];
  const may = call === undefined ? [] : listDecidingRoles(call.request, state.now);
  const sender: Sender = {
    by,
    roles: choose(4) === 3 ? [] : may.slice(0, 1),
    id: choose(4) === 3 ? `id-${choose(5)}` : null,
    chainId: choose(20) === 19 ? 'chain-9' : null,
  };
  if (state.paused?.question !== undefined && state.steps < 20 && choose(4) < 2)
    return { ...answersPause(state), ...sender };
  if (call !== undefined && choose(4) < 3) {
    const digest = [null, call.key, call.key, 'stale'][choose(4)]!;
    return decides(choose(10) === 9 ? '9.9' : call.id, someDecision(call.request.kind, choose), sender, digest);
  }
  return createCommand(someOtherCommand(state, choose), sender);
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

function someOtherCommand({ agent, steps }: ChainState, choose: Choose): Command {
  const limits = agent?.limits;
  const commands: readonly Command[] = [
    { kind: 'steer', text: texts[choose(texts.length)]! },
    { kind: 'pause', breakpoint: null },
    { kind: 'resume', call: [null, null, `${steps}.1`, '9.9'][choose(4)]! },
    { kind: 'pause', breakpoint: { step: steps + choose(3) } },
    { kind: 'pause', breakpoint: { costUsd: 0.01 * (1 + choose(3)) } },
    { kind: 'pause', breakpoint: { tool: ['pay', 'look', 'ghost'][choose(3)]! } },
    { kind: 'limit', limits: { steps: (limits?.steps ?? 0) + choose(2), timeMs: (limits?.timeMs ?? 0) + choose(2) } },
    { kind: 'limit', limits: { tokens: 1 } },
    { kind: 'signal', name: ['built', 'sold', 'no name'][choose(3)]!, data: inputs[choose(inputs.length)]! },
    { kind: 'unreadable', problem: 'It has no kind.' },
  ];
  return commands[choose(commands.length)]!;
}
