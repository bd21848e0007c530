/** The state once what a delegating call needed has been begun. */

import { workedMs } from '../people/working-time.js';
import { withCall } from '../settle-call.js';
import type { State } from '../state.js';
import type { Child } from './child.js';
import { delegating } from './children.js';
import type { ChildrenAction } from './decide-children.js';

export function beginChildren(state: State, action: ChildrenAction): State {
  switch (action.type) {
    case 'startChildren': {
      const begun = { at: state.now, workedMs: workedMs(state) };
      return changeAll(state, 'asked', (child) => ({ ...child, progress: 'running', begun }));
    }
    case 'readChildren':
      return changeAll(state, 'unread', (child) => ({ ...child, progress: 'reading' }));
    case 'score': {
      const call = delegating(state).find(({ id }) => id === action.call);
      return call === undefined ? state : withCall(state, { ...call, judging: 'scoring' });
    }
  }
}

function changeAll(before: State, from: Child['progress'], change: (child: Child) => Child): State {
  return delegating(before).reduce((state, call) => {
    if (!call.children.some(({ progress }) => progress === from)) return state;
    const children = call.children.map((child) => (child.progress === from ? change(child) : child));
    return withCall(state, { ...call, children });
  }, before);
}
