/** Adds a plan that a person approved: the chain applies the approved call itself, as it applies all control calls. */

import { findOwn, isObject } from '../../lib/index.js';
import { type ChainState, changeState, emptyPlanStep, type PendingCall, type ReusedPlan } from '../../model/index.js';
import { type Advance, andThen, emit, unchanged } from '../state/advance.js';
import { findControlTool } from '../state/control-tools.js';
import { createNoticeEntry } from '../state/entry.js';
import { listCalls } from '../state/flight.js';
import { settleCall } from '../state/step.js';
import { addReusedPlan } from './reused-plan.js';

export function acceptApprovedPlan(state: ChainState): Advance {
  const { agent, planning, plan } = state;
  if (agent?.strategy.name !== 'plan' || planning === null || plan !== null) return unchanged(state);
  const call = listCalls(state).find(isApprovedPlan);
  if (call === undefined) return unchanged(state);
  const draft = addReusedPlan(
    {
      ...{ goal: state.input?.task ?? '', options: agent.strategy, plan, lastNamedTask: null },
      ...{ failed: [], notes: [], notices: [] },
    },
    readPlan(call),
  );
  if (draft === null) return settleCall(state, agent, call, { status: 'error', content: 'No readable task.' });
  const planned: ChainState = changeState(state, {
    plan: draft.plan,
    planning: { ...planning, step: { ...emptyPlanStep, kind: 'planning', changed: true, notes: draft.notes } },
  });
  const changed = emit(
    planned,
    { type: 'plan-changed', at: state.now, plan: draft.plan },
    ...draft.notices.map(({ code, text }) => createNoticeEntry(state, code, text)),
  );
  return andThen(changed, (next) => settleCall(next, agent, call, { status: 'ok', content: 'Plan created.' }));
}

function isApprovedPlan({ tool, progress }: PendingCall): boolean {
  return progress === 'ready' && findControlTool(tool) === 'make_plan';
}

/** A person may have changed the arguments. */
function readPlan({ input }: PendingCall): ReusedPlan {
  const members = isObject(input) ? input : {};
  const [tasks, chainId, goal, similarity] = ['tasks', 'chainId', 'goal', 'similarity'].map((name) =>
    findOwn(members, name),
  );
  return {
    // Corrected where the plan is made.
    tasks: (Array.isArray(tasks) ? tasks : []) as unknown as ReusedPlan['tasks'],
    chainId: typeof chainId === 'string' ? chainId : '',
    goal: typeof goal === 'string' ? goal : '',
    similarity: typeof similarity === 'number' ? similarity : 0,
  };
}
