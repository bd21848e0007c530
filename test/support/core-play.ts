/** Plays a chain turn by turn, as its workflow does: facts in, actions out. The test sets the time. */

import { expect } from 'vitest';
import type { RecordedTurn } from '../../src/core/engine/recorded-turn.js';
import { toChainResult } from '../../src/core/engine/result.js';
import { emptyRecord, recordEntries } from '../../src/core/engine/state/entry.js';
import { takeTurn } from '../../src/core/engine/turn.js';
import type { Action } from '../../src/core/model/action.js';
import type { AgentSnapshot } from '../../src/core/model/agent.js';
import type {
  ChainInput,
  Fact,
  FailureDetails,
  ModelFailure,
  ModelReply,
  TimerName,
} from '../../src/core/model/fact.js';
import { emptyState } from '../../src/core/model/state.js';
import type { ChainEntry, ChainResult } from '../../src/entries/client.js';
import type { Chain, ChainState } from '../../src/entries/view.js';
import type { Json, Step } from '../../src/index.js';
import { agentOf, someInput } from './core-builders.js';

/** A fact without its time, which the play adds. */
export type NewFact = Fact extends infer F ? (F extends Fact ? Omit<F, 'at'> : never) : never;

type ModelAction = Extract<Action, { type: 'callModel' }>;

export class Play {
  chain: Chain = { ...emptyRecord, state: emptyState };
  /** The actions of the last turn; `asked` has those of all turns. */
  actions: readonly Action[] = [];
  readonly asked: Action[] = [];
  readonly entries: ChainEntry[] = [];
  readonly turns: RecordedTurn[] = [];
  at = 1_000;
  private deadlineAt = 0;
  history = { events: 3, bytes: 1_000, continueSuggested: false };

  get state(): ChainState {
    return this.chain.state;
  }

  take(...given: readonly NewFact[]): readonly Action[] {
    if (given.some((each) => each.type === 'timerFired' && each.timer === 'deadline')) this.untilDeadline();
    const facts = given.map((each) => ({ ...each, at: this.at }) as Fact);
    const turn = takeTurn(this.state, this.history, facts);
    expect(turn.fault).toBeUndefined();
    this.chain = recordEntries(this.chain, turn.state, turn.entries);
    this.turns.push({ eventId: this.turns.length + 1, history: this.history, facts });
    this.actions = turn.actions;
    for (const action of turn.actions) {
      if (action.type === 'startTimer' && action.timer === 'deadline') this.deadlineAt = this.at + action.ms;
    }
    this.asked.push(...turn.actions);
    this.entries.push(...turn.entries);
    this.checkTotals();
    return turn.actions;
  }

  /** All that is charged belongs to a model. An expectation for each turn would take most of a test's time. */
  private checkTotals(): void {
    const { modelTotals, charged, unpricedTokens, reservedCharges } = this.state;
    const sumOf = (member: 'tokens' | 'unpricedTokens' | 'reservedTokens') =>
      modelTotals.reduce((sum, total) => sum + total[member], 0);
    const usd = modelTotals.reduce((sum, total) => sum + (total.usd ?? 0), 0);
    const differs =
      sumOf('tokens') !== charged.tokens ||
      sumOf('unpricedTokens') !== unpricedTokens ||
      sumOf('reservedTokens') !== reservedCharges.tokens ||
      Math.abs(usd - (charged.usd ?? 0)) > 1e-7 * (1 + usd);
    if (differs) expect.fail(`${JSON.stringify(modelTotals)} is not the sum of ${JSON.stringify(charged)}.`);
  }

  /** Moves the time to the deadline, because a timer never fires earlier. */
  private untilDeadline(): void {
    this.at = Math.max(this.at, this.deadlineAt);
  }

  after(ms: number): this {
    this.at += ms;
    return this;
  }

  replied(reply: ModelReply): readonly Action[] {
    return this.take({ type: 'modelReplied', call: this.modelCall.call, reply });
  }

  failed(failure: ModelFailure): readonly Action[] {
    return this.take({ type: 'modelFailed', call: this.modelCall.call, failure });
  }

  returned(call: string, content: Json = `result of ${call}`): readonly Action[] {
    return this.take({ type: 'toolReturned', call, observation: { content, clippedFrom: null } });
  }

  broke(call: string, failure: FailureDetails): readonly Action[] {
    return this.take({ type: 'toolFailed', call, failure });
  }

  fired(timer: TimerName): readonly Action[] {
    return this.take({ type: 'timerFired', timer });
  }

  /** A cancel by a person, by the chain's own update. */
  cancelledBy(by: string | null, reason: string | null = null): readonly Action[] {
    return this.take({ type: 'cancelRequested', id: 'request-1', by, reason, summarize: false });
  }

  cancelledByTemporal(): readonly Action[] {
    return this.take({ type: 'cancelRequested', id: null, by: null, reason: null, summarize: false });
  }

  /** The newest model call. */
  get modelCall(): ModelAction {
    const call = this.asked.findLast((action): action is ModelAction => action.type === 'callModel');
    if (call === undefined) throw new Error('The model has not been called.');
    return call;
  }

  get modelCalls(): readonly ModelAction[] {
    return this.asked.filter((action): action is ModelAction => action.type === 'callModel');
  }

  /** The ids of all tool calls that were run. */
  get ran(): readonly string[] {
    return this.asked.flatMap((action) => (action.type === 'runCalls' ? action.calls.map(({ id }) => id) : []));
  }

  get step(): Step {
    const step = this.chain.steps.at(-1);
    if (step === undefined) throw new Error('No step has been taken.');
    return step;
  }

  get statuses(): readonly string[] {
    return this.step.calls.map(({ status }) => status);
  }

  /** @throws unless the last turn ended the chain */
  get result(): ChainResult {
    expect(this.actions).toEqual([{ type: 'end' }]);
    return toChainResult(this.state);
  }
}

export function started(input: ChainInput = someInput): Play {
  const play = new Play();
  play.take({ type: 'started', chainId: 'chain-1', input });
  return play;
}

/** A prepared chain that has called the model for the first time. */
export function prepared(agent: AgentSnapshot = agentOf(), input: ChainInput = someInput): Play {
  const play = started(input);
  play.take({ type: 'prepared', agent });
  return play;
}

export const kinds = (actions: readonly Action[]): readonly string[] =>
  actions.map((action) => (action.type === 'startTimer' ? `timer ${action.timer}` : action.type));
