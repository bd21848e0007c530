/**
 * Approved for the rest of the chain. Whoever says so speaks for the calls that they could have approved, and for no
 * others: a later call may need another role, more people, or somebody else than who asked for the chain.
 */

import type { AskRules, Vote } from '../model/ask.js';
import { isSamePerson } from '../model/identity.js';
import type { Always, State } from '../model/state.js';
import { notEntitled } from './refusal.js';

/** How many are remembered; who has fallen out is asked again. */
const remembered = 64;

/** Also takes back the breakpoints at the tool: they have been seen. */
export function grantAlways(state: State, tool: string, votes: readonly Vote[]): State {
  const granted = votes.map(({ by, roles }): Always => ({ tool, by, roles }));
  const others = state.always.filter(
    (each) => !granted.some(({ by }) => each.tool === tool && (each.by === by || isSamePerson(each.by, by))),
  );
  return {
    ...state,
    always: [...others, ...granted].slice(-remembered),
    breakpoints: state.breakpoints.filter(({ at }) => !('tool' in at) || at.tool !== tool),
  };
}

/** Whether as many have as the rules of a call ask for. */
export function approvedAlways(state: State, tool: string, rules: AskRules): boolean {
  const able = state.always.filter(
    (each) => each.tool === tool && notEntitled(state, each, { id: '', ask: { rules } }, rules.roles) === null,
  );
  return able.length >= rules.approvers;
}
