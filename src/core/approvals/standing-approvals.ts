/**
 * Approved for the rest of the chain. Whoever says so speaks for the calls that they could have approved, and for no
 * others: a later call may need another role, more people, or somebody else than who asked for the chain.
 */

import { isSamePerson } from '../model/identity.js';
import type { RequestRules, Vote } from '../model/request.js';
import type { ChainState, StandingApproval } from '../model/state.js';
import { validateEntitlement } from './command-rejection.js';

/** How many are remembered; who has fallen out is asked again. */
const maxStandingApprovals = 64;

/** Also takes back the breakpoints at the tool: they have been seen. */
export function grantStandingApprovals(state: ChainState, tool: string, votes: readonly Vote[]): ChainState {
  const granted = votes.map(({ by, roles }): StandingApproval => ({ tool, by, roles }));
  const others = state.standingApprovals.filter(
    (each) => !granted.some(({ by }) => each.tool === tool && (each.by === by || isSamePerson(each.by, by))),
  );
  return {
    ...state,
    standingApprovals: [...others, ...granted].slice(-maxStandingApprovals),
    breakpoints: state.breakpoints.filter(({ breakpoint }) => !('tool' in breakpoint) || breakpoint.tool !== tool),
  };
}

/** Whether as many have as the rules of a call ask for. */
export function hasStandingApprovals(state: ChainState, tool: string, rules: RequestRules): boolean {
  const able = state.standingApprovals.filter(
    (each) =>
      each.tool === tool && validateEntitlement(state, each, { id: '', request: { rules } }, rules.roles) === null,
  );
  return able.length >= rules.approvers;
}
