/**
 * Applies each type of fact. A start may contain anything; an invalid one ends the chain. The rules after every fact are in
 * advance.ts.
 */

import { applyCommand } from '../approvals/advance-command.js';
import { applyChildEnded, applyChildReport, applyScores } from '../delegation/advance-children.js';
import { isTooDeepInput } from '../lib/cut-deep.js';
import { isObject, type JsonObject } from '../lib/json.js';
import { type ChainInput, type Fact, isKnownRules, type TimerName, toUnknownRulesReason } from '../model/fact.js';
import { isFileList } from '../model/file.js';
import { isLineage } from '../model/lineage.js';
import { type ChainState, emptyState } from '../model/state.js';
import type { StopReason } from '../model/stop-reason.js';
import { type Advance, andThen, emit } from '../state/advance.js';
import { endFlight, isRetryWait } from '../state/flight.js';
import { stopChain } from '../state/stop.js';
import { applyObservation, applyToolFailure } from './advance-calls.js';
import { applyCancel, applyDeadline, applyGraceEnd } from './advance-cancel.js';
import { applyReply, stopByCheck } from './apply-reply.js';
import { applyPrepared, applyPrepareFailure, applySubChainPrepared } from './prepare.js';
import { applyModelFailure } from './provider-failure.js';

export function applyFact(state: ChainState, fact: Fact): Advance {
  const { agent } = state;
  switch (fact.type) {
    case 'started':
      return state.input === null ? startChain(state, fact) : emit(state);
    case 'continued':
      return emit(state);
    case 'prepared':
      return applyPrepared(state, fact.agent);
    case 'subChainPrepared':
      return isModelCallInFlight(state, fact.call) ? applySubChainPrepared(state, fact) : emit(state);
    case 'prepareFailed':
      return applyPrepareFailure(state, fact.failure);
    case 'modelReplied':
      return isModelCallInFlight(state, fact.call) ? applyReply(state, fact.reply) : emit(state);
    case 'checkEnded':
      return isModelCallInFlight(state, fact.call) ? stopByCheck(endFlight(state), fact.check) : emit(state);
    case 'modelFailed':
      return isModelCallInFlight(state, fact.call) ? applyModelFailure(state, fact.failure) : emit(state);
    case 'toolReturned':
      return agent === null ? emit(state) : applyObservation(state, agent, fact.call, fact.observation);
    case 'toolFailed':
      return agent === null ? emit(state) : applyToolFailure(state, agent, fact.call, fact.failure);
    case 'childEnded':
      return agent === null ? emit(state) : applyChildEnded(state, agent, fact.chainId, fact.end);
    case 'childReportRead':
      return agent === null ? emit(state) : applyChildReport(state, agent, fact.chainId, fact.report);
    case 'answersScored':
      return applyScores(state, fact.call, fact.scores);
    case 'timerFired':
      return applyTimer(state, fact.timer);
    case 'cancelRequested':
      return applyCancel(state, fact);
    case 'commandReceived':
      return applyCommand(state, fact);
  }
}

/** Returns whether this model call is under way: late results of abandoned calls are ignored. */
function isModelCallInFlight({ flight }: ChainState, call: string): boolean {
  return flight.kind === 'model' && flight.call === call;
}

function applyTimer(state: ChainState, timer: TimerName): Advance {
  switch (timer) {
    case 'retry': {
      const fired: ChainState = { ...state, timers: { ...state.timers, retry: false } };
      return emit(isRetryWait(state.flight) ? endFlight(fired) : fired);
    }
    case 'deadline':
      return applyDeadline(state);
    case 'grace':
      return applyGraceEnd(state);
    case 'request':
      // Due requests are settled by now; `decide` starts the next timer.
      return emit({ ...state, timers: { ...state.timers, request: null } });
  }
}

export function startChain(state: ChainState, { chainId, input, at }: Extract<Fact, { type: 'started' }>): Advance {
  const own = toStoredInput(input);
  const { now, history, facts, head } = state;
  // The start comes first in canonical order, but `facts` and `head` already count it.
  const started = emit(
    { ...emptyState, now, history, facts, head, input: own, chainId, startedAt: at },
    { type: 'chain-started', at, input: own },
  );
  const wrong = validateChainInput(input);
  return wrong === null ? started : andThen(started, (next) => stopChain(next, 'failure', wrong));
}

/** Returns why the input is invalid, as a stop reason, or null. */
function validateChainInput(input: unknown): StopReason | null {
  if (isTooDeepInput(input)) return { code: 'nested_start' };
  const values: JsonObject = isObject(input) ? input : {};
  const { rules = null, agent, task, files, lineage } = values;
  if (!isKnownRules(rules)) return toUnknownRulesReason(rules);
  if (typeof agent !== 'string' || typeof task !== 'string') return { code: 'incomplete_start' };
  const wrong = callerMembers.find((member) => !isOptionalText(values[member]));
  if (wrong !== undefined) return { code: 'invalid_start', member: wrong, expected: 'a text or null' };
  if (!isOptionalList(values.roles)) return { code: 'invalid_start', member: 'roles', expected: 'a list of texts' };
  if (files !== undefined && !isFileList(files))
    return { code: 'invalid_start', member: 'files', expected: 'a list of stored files' };
  return lineage === undefined || isLineage(lineage) ? null : { code: 'invalid_lineage' };
}

const callerMembers = ['model', 'tenant', 'user'] as const;

function isOptionalText(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

/** A text in place of the list would contain parts of its words. */
function isOptionalList(value: unknown): boolean {
  return (
    value === undefined || value === null || (Array.isArray(value) && value.every((each) => typeof each === 'string'))
  );
}

/** Returns the input without its origin, which `adoptOrigin` reads once; an empty one where it is nested too deeply. */
function toStoredInput(input: ChainInput): ChainInput {
  // A state that is nested too deeply could not be serialized.
  if (isTooDeepInput(input))
    return { rules: 0, agent: '', task: '', model: null, limits: {}, tenant: null, user: null, roles: [] };
  if (!isObject(input) || input.origin === undefined) return input;
  const { origin: _, ...own } = input;
  return own;
}
