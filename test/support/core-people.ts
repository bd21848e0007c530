/** People for tests of the core: what they may say, in as few words as a test needs, and as wildly as a world likes. */

import type { Json } from '../../src/core/lib/json.js';
import { type AskKind, type AskRules, rolesOf } from '../../src/core/model/ask.js';
import type { Breakpoint, Decision, Directed, Direction } from '../../src/core/model/direction.js';
import type { Fact, ModelReply } from '../../src/core/model/fact.js';
import type { SomeLimits } from '../../src/core/model/limits.js';
import type { State } from '../../src/core/model/state.js';
import { askRules } from '../../src/core/state/ask-rules.js';
import { waiting } from '../../src/core/state/asks-due.js';
import { type Asked, asks } from './core-builders.js';

type DirectedFact = Extract<Fact, { type: 'directed' }>;
export type Spoken = Omit<DirectedFact, 'at'>;
type Who = Partial<Omit<Directed, 'direction'>>;

export function says(direction: Direction, who: Who = {}): Spoken {
  return { type: 'directed', id: null, chainId: null, by: 'ana', roles: [], reason: null, ...who, direction };
}

export function decides(call: string, decision: Decision, who: Who = {}, digest: string | null = null): Spoken {
  return says({ kind: 'decide', call, digest, decision }, who);
}

export const steers = (text: string, who?: Who): Spoken => says({ kind: 'steer', text }, who);
export const pauses = (at: Breakpoint | null = null, who?: Who): Spoken => says({ kind: 'pause', at }, who);
export const limits = (limits: SomeLimits, who?: Who): Spoken => says({ kind: 'limit', limits }, who);
export const resumes = (who?: Who): Spoken => says({ kind: 'resume' }, who);

export const rules = (given: Partial<AskRules> = {}): AskRules =>
  askRules({ reason: 'It moves money.', risk: 'high', ...given });

/** A reply whose calls need approval, each by these rules or none. */
export function needs(approvals: readonly (AskRules | null)[], ...calls: readonly Asked[]): ModelReply {
  return { ...asks(...calls), approvals };
}

/** Next number of a script, below `n`. */
type Choose = (n: number) => number;

/** Rules that always come to an end by themselves: nobody has promised to look. */
export function someRules(choose: Choose): AskRules {
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

/** Anything that somebody might say of the chain as it stands, sensible more often than not. */
export function somethingSaid(state: State, choose: Choose): Spoken {
  const by = names[choose(names.length)]!;
  const open = waiting(state);
  const call = open[choose(Math.max(1, open.length))];
  const may = call === undefined ? [] : rolesOf(call.ask, state.now);
  const who: Who = {
    by,
    roles: choose(4) === 3 ? [] : may.slice(0, 1),
    id: choose(4) === 3 ? `id-${choose(5)}` : null,
    chainId: choose(20) === 19 ? 'chain-9' : null,
  };
  if (call !== undefined && choose(4) < 3) {
    const digest = [null, call.key, call.key, 'stale'][choose(4)]!;
    return decides(choose(10) === 9 ? '9.9' : call.id, someDecision(call.ask.kind, choose), who, digest);
  }
  return says(someDirection(state, choose), who);
}

function someDecision(kind: AskKind, choose: Choose): Decision {
  const input = inputs[choose(inputs.length)]!;
  const decisions: readonly Decision[] = {
    approval: [
      { what: 'approve' },
      { what: 'approve', always: true },
      { what: 'approve', input },
      { what: 'deny' },
      { what: 'answer', answer: input },
    ] as const,
    outcome: [{ what: 'happened', observation: input }, { what: 'not_happened' }, { what: 'give_up' }] as const,
    question: [{ what: 'answer', answer: input }, { what: 'deny' }] as const,
  }[choose(8) === 7 ? 'outcome' : kind];
  return decisions[choose(decisions.length)]!;
}

function someDirection({ agent, steps }: State, choose: Choose): Direction {
  const limits = agent?.limits;
  const directions: readonly Direction[] = [
    { kind: 'steer', text: texts[choose(texts.length)]! },
    { kind: 'pause', at: null },
    { kind: 'resume' },
    { kind: 'pause', at: { step: steps + choose(3) } },
    { kind: 'pause', at: { costUsd: 0.01 * (1 + choose(3)) } },
    { kind: 'pause', at: { tool: ['pay', 'look', 'ghost'][choose(3)]! } },
    { kind: 'limit', limits: { steps: (limits?.steps ?? 0) + choose(2), timeMs: (limits?.timeMs ?? 0) + choose(2) } },
    { kind: 'limit', limits: { tokens: 1 } },
    { kind: 'unreadable', problem: 'It does not say what.' },
  ];
  return directions[choose(directions.length)]!;
}
