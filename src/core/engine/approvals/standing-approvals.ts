/**
 * Standing approvals: approvals for the rest of the chain. Each covers only calls that its giver could have approved: a
 * later call may need another role, more people, or a person other than the requester of the chain.
 */

import {
  type ChainState,
  changeState,
  isSamePerson,
  type RequestRules,
  type StandingApproval,
  type Vote,
} from '../../model/index.js';
import { validateEntitlement } from './command-rejection.js';

/** Number of standing approvals to remember; the oldest are dropped. */
const maxStandingApprovals = 64;

/** Grants standing approvals. Removes breakpoints at the tool, which have served their purpose. */
export function grantStandingApprovals(state: ChainState, tool: string, votes: readonly Vote[]): ChainState {
  const granted = votes.map(({ by, roles }): StandingApproval => ({ tool, by, roles }));
  const others = state.standingApprovals.filter(
    (standingApproval) =>
      !granted.some(
        ({ by }) =>
          standingApproval.tool === tool && (standingApproval.by === by || isSamePerson(standingApproval.by, by)),
      ),
  );
  return changeState(state, {
    standingApprovals: [...others, ...granted].slice(-maxStandingApprovals),
    breakpoints: state.breakpoints.filter(({ breakpoint }) => !('tool' in breakpoint) || breakpoint.tool !== tool),
  });
}

/** Returns whether enough people who may decide a call have given a standing approval. */
export function hasStandingApprovals(state: ChainState, tool: string, rules: RequestRules): boolean {
  const able = state.standingApprovals.filter(
    (standingApproval) =>
      standingApproval.tool === tool &&
      validateEntitlement(state, standingApproval, { id: '', request: { rules } }, rules.roles) === null,
  );
  return able.length >= rules.approvers;
}
