/** Applies each type of fact. The rules after every fact are in advance.ts. */

import type { Sha256 } from '../lib/index.js';
import { type ChainState, changeState, type Fact, mergeDataClasses, type TimerName } from '../model/index.js';
import {
  applyApprovalRequired,
  applyObservation,
  applyPassedCheck,
  applyQuestion,
  applyToolFailure,
} from './advance-calls.js';
import { applyCancel, applyDeadline, applyGraceEnd } from './advance-cancel.js';
import { applyCheckEnd, applyReply } from './apply-reply.js';
import { applyCommand } from './approvals/advance-command.js';
import { reportBudgets } from './budget-rules.js';
import { applyChildEnded, applyChildReport, applyScores } from './delegation/advance-children.js';
import { applyPrepared, applyPrepareFailure } from './prepare.js';
import { applyModelFailure } from './provider-failure.js';
import { requeueOperation } from './requeue.js';
import { startChain } from './start-chain.js';
import { type Advance, andThen, emit, unchanged } from './state/advance.js';
import { endFlight, isRetryWait, offerCalls } from './state/flight.js';

/** @param computeSha256 the host's implementation, for the keys of calls */
export function applyFact(state: ChainState, fact: Fact, computeSha256: Sha256): Advance {
  const { agent } = state;
  switch (fact.type) {
    case 'started':
      return state.input === null ? startChain(state, fact) : unchanged(state);
    case 'continued':
      return unchanged(state);
    case 'prepared':
      return applyPrepared(state, fact.agent);
    case 'prepareFailed':
      return applyPrepareFailure(state, fact.failure);
    case 'requeued':
      return requeueOperation(state, fact);
    case 'modelReplied':
      if (!isModelCallInFlight(state, fact.call)) return unchanged(state);
      return andThen(reportBudgets(markData(state, fact.reply), fact.reply), (next) =>
        applyReply(next, fact.reply, computeSha256),
      );
    case 'checkEnded':
      return isModelCallInFlight(state, fact.call) ? applyCheckEnd(endFlight(state), fact.check) : unchanged(state);
    case 'modelFailed':
      if (!isModelCallInFlight(state, fact.call)) return unchanged(state);
      return andThen(reportBudgets(markData(state, fact.failure), fact.failure), (next) =>
        applyModelFailure(next, fact.failure),
      );
    case 'toolReturned':
      return agent === null ? unchanged(state) : applyObservation(state, agent, fact.call, fact.observation);
    case 'callChecked':
      return applyPassedCheck(state, fact.call);
    case 'approvalRequired':
      return applyApprovalRequired(state, fact.call, fact.rules);
    case 'questionAsked':
      return applyQuestion(state, fact);
    case 'toolFailed':
      return agent === null ? unchanged(state) : applyToolFailure(state, agent, fact.call, fact.failure);
    case 'childEnded':
      return agent === null ? unchanged(state) : applyChildEnded(state, agent, fact.chainId, fact.end);
    case 'childReportRead':
      return agent === null ? unchanged(state) : applyChildReport(state, agent, fact.chainId, fact.report);
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

/** Marks the chain with the classes that were found before its request. */
function markData(state: ChainState, { dataClasses }: { readonly dataClasses?: readonly string[] }): ChainState {
  if (dataClasses === undefined) return state;
  return changeState(state, { dataClasses: mergeDataClasses(state.dataClasses, dataClasses) });
}

/** Returns whether this model call is under way: late results of abandoned calls are ignored. */
function isModelCallInFlight({ flight }: ChainState, call: string): boolean {
  return flight.kind === 'model' && flight.call === call;
}

function applyTimer(state: ChainState, timer: TimerName): Advance {
  switch (timer) {
    case 'retry': {
      const fired: ChainState = changeState(state, { timers: { ...state.timers, retry: false } });
      return emit(isRetryWait(state.flight) ? endFlight(fired) : offerCalls(fired));
    }
    case 'deadline':
      return applyDeadline(state);
    case 'grace':
      return applyGraceEnd(state);
    case 'request':
      // Due requests are settled by now; `decide` starts the next timer.
      return emit(changeState(state, { timers: { ...state.timers, request: null } }));
    case 'wait':
      // Like due requests.
      return emit(changeState(state, { timers: { ...state.timers, wait: null } }));
    case 'messages':
      return emit(changeState(state, { timers: { ...state.timers, messages: false } }));
  }
}
