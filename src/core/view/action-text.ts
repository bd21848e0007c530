/** What a chain asks for, in words for a person: `call model-2 and start the timer deadline`. */

import type { Action } from '../model/action.js';

export function actionsText(actions: readonly Action[]): string {
  return actions.length === 0 ? 'wait for what is under way' : actions.map(actionText).join(' and ');
}

function actionText(action: Action): string {
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
