/** The next actions of a chain in words for people: in a clause, and as sentences. */

import { formatExactDuration } from '../lib/display.js';
import type { Action } from '../model/action.js';
import type { ChainState } from '../model/state.js';

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
      return `begin ${action.starts.map(({ chainId }) => chainId).join(' and ')}`;
    case 'readChildren':
      return `read ${action.children.map(({ chainId }) => chainId).join(' and ')}`;
    case 'score':
      return `score the answers to call ${action.call}`;
    case 'startTimer':
      return `start the timer ${action.timer}`;
    case 'interrupt':
      return 'stop what runs';
    case 'continueAsNew':
      return 'go on in a new run';
    case 'end':
      return 'end';
  }
}

/** `The model is asked for step 2.` */
export function describeActions(actions: readonly Action[], state: ChainState): string {
  return actions.map((action) => describeAction(action, state)).join(' ');
}

function describeAction(action: Action, { steps }: ChainState): string {
  switch (action.type) {
    case 'prepare':
      return "The agent's definition is taken down by a worker.";
    case 'callModel':
      return action.purpose === 'closing'
        ? 'The model is asked to sum up what was found.'
        : `The model is asked for step ${steps + 1}.`;
    case 'runCalls':
      return `It runs ${action.calls.map(({ id, tool }) => `call ${id} (${tool})`).join(' and ')}.`;
    case 'startChildren':
      return `It begins ${action.starts.map(({ chainId, input }) => `chain ${chainId} (${input.agent})`).join(' and ')}.`;
    case 'readChildren':
      return `What ${action.children.map(({ chainId }) => chainId).join(' and ')} came to is read.`;
    case 'score':
      return `The answers to call ${action.call} are scored.`;
    case 'startTimer':
      return `A timer of ${formatExactDuration(action.ms)} is set (${action.timer}).`;
    case 'interrupt':
      return 'What is running is told to stop.';
    case 'continueAsNew':
      return 'It goes on in a new run.';
    case 'end':
      return 'The chain ends.';
  }
}
