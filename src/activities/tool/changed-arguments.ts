/**
 * Policies looked at the arguments that the model wrote. Where a person has set others, they are asked once more, before
 * the tool is run: nobody approves by the rules of one call what those of another would not have let them.
 *
 * What keeps the call from being run is `NotDone`, also where the question could not be asked.
 */

import { Context } from '@temporalio/activity';
import type { Agent } from '../../agents/define-agent.js';
import type { RunToolInput } from '../../contract/activities.js';
import { failureTypes } from '../../contract/names.js';
import { neededBesides } from '../../core/approvals/changed-arguments.js';
import type { AskRules } from '../../core/model/ask.js';
import type { SaidOfCall } from '../../tools/approval/said-of-call.js';
import type { Tool } from '../../tools/define/define-tool.js';
import { denialOf, saidOfCall } from '../context/approval-layers.js';
import type { Dependencies } from '../context/dependencies.js';
import { failure } from '../context/failures.js';
import { ownState } from '../context/own-state.js';

interface Asking extends Pick<Dependencies, 'approvals' | 'folds'> {
  readonly agent: Agent;
}

/** @throws NotDone */
export async function refuseChanged(asking: Asking, tool: Tool, input: RunToolInput): Promise<void> {
  if (input.changedUnder === undefined) return;
  const refused = refusalOf(tool.name, input.changedUnder, await said(asking, tool, input));
  if (refused !== null) throw failure(failureTypes.notDone, refused);
}

async function said({ agent, approvals, folds }: Asking, tool: Tool, call: RunToolInput): Promise<SaidOfCall> {
  const context = Context.current();
  const problem = `Whether ${tool.name} may be run with the arguments that a person set could not be found out`;
  const state = await ownState(folds, context, problem);
  const snapshot = state.agent?.tools.find(({ name }) => name === tool.name) ?? tool.snapshot;
  const askers = { agent, approvals, warn: (message: string) => context.log.warn(message) };
  return saidOfCall(askers, state, { tool: snapshot, input: call.input, step: call.step, spent: state.spent });
}

function refusalOf(tool: string, approvedBy: AskRules, said: SaidOfCall): string | null {
  if (said.kind === 'deny') return denialOf(tool, said.reason);
  const missing = said.kind === 'ask' ? neededBesides(approvedBy, said.rules) : null;
  if (missing === null) return null;
  return `${tool} was not run. A person changed its arguments, and with these it needs ${missing}. If it is to be run with them, call it with them: then they are asked.`;
}
