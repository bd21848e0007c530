/** The state once what a delegating call needed has been begun. */

import type { ChildrenAction } from '../model/action.js';
import type { Child } from '../model/child.js';
import type { State } from '../model/state.js';
import { delegating } from '../state/children.js';
import { withCall } from '../state/settle-call.js';
import { workedMs } from '../state/working-time.js';

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
