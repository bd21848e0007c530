/**
 * Where a chain goes on in a new run, so that its history stays short however long it is.
 *
 * 1. Only where nothing runs: between steps, or while all that a step still waits for is people.
 * 2. Nobody is told. The state goes on as it is; only timers, which belong to a run, are set anew.
 * 3. A run gets something done: it is not cut again at once, whatever it is told to be cut at.
 */

import type { Action } from '../model/action.js';
import type { RunBegun } from '../model/continue-after.js';
import type { State } from '../model/state.js';

/** Facts that a run has at least: its start, a reply, and what came of a call. */
const fewestFacts = 3;

/** @param actions what the chain would do next: all of it is decided on once more where it goes on */
export function orContinue(state: State, actions: readonly Action[]): readonly Action[] {
  return isEnough(state) && nothingRuns(state, actions) ? [{ type: 'continueAsNew' }] : actions;
}

/** As the next run is given it. */
export function continued(state: State): State {
  const begun: RunBegun = { runs: state.run.runs + 1, steps: state.steps, facts: state.facts };
  return { ...state, timers: { deadline: false, grace: false, ask: null }, run: begun };
}

function isEnough(state: State): boolean {
  const { agent, history, steps, facts, run } = state;
  if (agent === null || facts - run.facts < fewestFacts) return false;
  const after = agent.continueAfter;
  return (
    history.suggested ||
    (after?.events !== undefined && history.events >= after.events) ||
    (after?.steps !== undefined && steps - run.steps >= after.steps)
  );
}

function nothingRuns({ stop, flight }: State, actions: readonly Action[]): boolean {
  if (stop !== null) return false;
  switch (flight.kind) {
    case 'idle':
      return actions.every(({ type }) => type === 'callModel' || type === 'startTimer');
    case 'calls':
      return (
        actions.every(({ type }) => type === 'startTimer') &&
        flight.calls.every(({ progress }) => progress !== 'asked' && progress !== 'running')
      );
    default:
      return false;
  }
}
