/** The next actions of a chain in words: as a clause, and as sentences. */

import { formatExactDuration } from '../lib/index.js';
import type { Action, ChainState } from '../model/index.js';

/** `call model-2 and start the timer deadline` */
export function formatActions(actions: readonly Action[]): string {
  return actions.length === 0 ? 'wait for what is under way' : actions.map(formatAction).join(' and ');
}

function formatAction(action: Action): string {
  switch (action.type) {
    case 'prepare':
      return 'prepare its agent';
    case 'callModel':
      return `call the model (${action.call})`;
    case 'runCalls':
      return `call ${action.calls.map(({ id, tool }) => `${tool} (${id})`).join(' and ')}`;
    case 'startChildren':
      return `start ${action.starts.map(({ chainId }) => chainId).join(' and ')}`;
    case 'readChildren':
      return `read ${action.children.map(({ chainId }) => chainId).join(' and ')}`;
    case 'score':
      return `score the answers to call ${action.call}`;
    case 'startTimer':
      return `start the timer ${action.timer}`;
    case 'cancelTimer':
      return `cancel the timer ${action.timer}`;
    case 'interrupt':
      return 'interrupt what runs';
    case 'continueAsNew':
      return 'continue as new';
    case 'end':
      return 'end';
  }
}

/** Sentences such as `The model is called for step 2.` */
export function describeActions(actions: readonly Action[], state: ChainState): string {
  return actions.map((action) => describeAction(action, state)).join(' ');
}

function describeAction(action: Action, { steps }: ChainState): string {
  switch (action.type) {
    case 'prepare':
      return "A worker records the agent's definition.";
    case 'callModel':
      if (action.purpose === 'observer') return 'A model is called to observe the last steps.';
      if (action.purpose === 'policy') return 'A model is called to compare the step with the written policy.';
      if (action.purpose === 'compaction') return 'A model is called to write notes on the oldest steps.';
      if (action.purpose === 'judge') return 'A model is called to judge the end of the chain.';
      return action.purpose === 'closing'
        ? 'The model is called to summarize its findings.'
        : `The model is called for step ${steps + 1}.`;
    case 'runCalls':
      return `It runs ${action.calls.map(({ id, tool }) => `call ${id} (${tool})`).join(' and ')}.`;
    case 'startChildren':
      return `It starts ${action.starts.map(({ chainId, input }) => `chain ${chainId} (${input.agent})`).join(' and ')}.`;
    case 'readChildren':
      return `It reads the result of ${action.children.map(({ chainId }) => chainId).join(' and ')}.`;
    case 'score':
      return `The answers to call ${action.call} are scored.`;
    case 'startTimer':
      return `A timer of ${formatExactDuration(action.ms)} is set (${action.timer}).`;
    case 'cancelTimer':
      return `The timer ${action.timer} is cancelled.`;
    case 'interrupt':
      return 'Running operations are interrupted.';
    case 'continueAsNew':
      return 'It continues as new in the next run.';
    case 'end':
      return 'The chain ends.';
  }
}
