/** Takes the snapshot of an agent's definition for a chain; for a branch also the first steps of its parent. */

import { Context } from '@temporalio/activity';
import { type Agent, createSnapshot } from '../../agents/index.js';
import {
  type BranchParent,
  failureTypes,
  type PrepareAgentInput,
  type PrepareAgentResult,
} from '../../contract/index.js';
import { findTurnPrefix, toOrigin } from '../../core/engine/index.js';
import { omitUndefined, toErrorMessage } from '../../core/lib/index.js';
import type { AgentSnapshot, Origin, PartialLimits } from '../../core/model/index.js';
import { readChainHistory } from '../../history/index.js';
import { ProviderMissingError } from '../../models/index.js';
import { getOwnHistory } from '../context/activity-context.js';
import { prepareTools } from '../context/agent-tools.js';
import type { Dependencies } from '../context/dependencies.js';
import {
  createFailure,
  createUnknownAgentFailure,
  createUnknownProviderFailure,
  toRegisteredAgents,
} from '../context/failures.js';
import { addTokenCount } from './count-tokens.js';
import { checkSize } from './snapshot-size.js';
import { storeTaskFiles } from './task-files.js';

export function prepareAgent(dependencies: Dependencies) {
  const { agents } = dependencies;
  return async (input: PrepareAgentInput): Promise<PrepareAgentResult> => {
    const agent = agents.get(input.agent);
    const known = toKnownAttributes(dependencies, input);
    if (Context.current().info.isLocal) return prepareLocally(dependencies, agent, input, known);
    if (agent === undefined) {
      const all = await dependencies.listQueueAgents().catch(() => null);
      if (all === null || all.some(({ name }) => name === input.agent))
        throw createUnknownAgentFailure(toRegisteredAgents(agents), input.agent, known);
      throw createUnknownAgentFailure(all, input.agent, { ...known, nowhere: true });
    }
    if (input.files !== undefined) await storeTaskFiles(Context.current(), dependencies);
    if (input.branchOf === undefined) {
      const snapshot = createFittingSnapshot(await prepareTools(dependencies, agent, known), input, dependencies);
      const counted = input.countTokens ? await countFirstRequest(dependencies, snapshot) : snapshot;
      return known === undefined ? counted : { agent: counted, ...known };
    }
    const { agent: taken, origin } = await readBranchOrigin(Context.current(), dependencies, input.branchOf);
    const snapshot = applyLimits(taken, input.limits);
    return checkSize(agent.name, origin === null ? snapshot : { agent: snapshot, origin });
  };
}

/** @throws a failure where an activity is needed: a workflow task must not wait for a source, or for other workers */
function prepareLocally(
  dependencies: Dependencies,
  agent: Agent | undefined,
  input: PrepareAgentInput,
  known: KnownAttributes | undefined,
): PrepareAgentResult {
  if (agent === undefined || agent.sources.length > 0)
    throw createFailure(failureTypes.needsActivity, 'The worker lacks the agent, or the agent has sources of tools.');
  const snapshot = createFittingSnapshot(agent, input, dependencies);
  return known === undefined ? snapshot : { agent: snapshot, ...known };
}

type KnownAttributes = { readonly searchAttributes: 'registered' };

/** Whether the server knows the search attributes; undefined if it does not, or if the start has set them. */
function toKnownAttributes({ searchAttributes }: Dependencies, input: PrepareAgentInput): KnownAttributes | undefined {
  return input.searchAttributes === 'missing' && searchAttributes === 'registered' ? { searchAttributes } : undefined;
}

async function countFirstRequest(dependencies: Dependencies, snapshot: AgentSnapshot): Promise<AgentSnapshot> {
  const { history, run } = getOwnHistory(Context.current());
  return addTokenCount(dependencies, snapshot, await dependencies.folds.readLatest(history, run));
}

/** Applies the limits of the call that started a branch; all else is the parent's. */
function applyLimits(agent: AgentSnapshot, limits: PartialLimits): AgentSnapshot {
  return { ...agent, limits: { ...agent.limits, ...omitUndefined(limits) } };
}

/** @throws a failure of a type for calls that were not made */
function createFittingSnapshot(
  agent: Agent,
  input: Omit<PrepareAgentInput, 'branchOf' | 'searchAttributes'>,
  { snapshotDefaults, continueAfter }: Pick<Dependencies, 'snapshotDefaults' | 'continueAfter'>,
): AgentSnapshot {
  return checkSize(
    agent.name,
    createOrFail(() => ({
      ...createSnapshot(agent, input, snapshotDefaults),
      ...(continueAfter === null ? {} : { continueAfter }),
    })),
  );
}

function createOrFail(make: () => AgentSnapshot): AgentSnapshot {
  try {
    return make();
  } catch (error) {
    if (error instanceof ProviderMissingError) throw createUnknownProviderFailure(error.provider, error.message);
    throw createFailure(failureTypes.badDefinition, toErrorMessage(error));
  }
}

interface BranchOrigin {
  readonly agent: AgentSnapshot;
  /** Null for a branch that starts with the task alone. */
  readonly origin: Origin | null;
}

/**
 * Reads a branch's first steps and its agent from the parent.
 *
 * @throws a failure when the parent has no such step; a retry would not find it either
 */
async function readBranchOrigin(
  context: Context,
  from: Pick<Dependencies, 'converter' | 'archived'>,
  { steps, ...run }: BranchParent,
): Promise<BranchOrigin> {
  const { history } = getOwnHistory(context);
  const { chain, turns } = await readChainHistory({ history, ...from }, { workflowId: run.chainId, runId: run.runId });
  const { agent } = chain.state;
  const until = steps === 0 ? null : findTurnPrefix(turns, steps);
  if (agent === null || (steps > 0 && until === null)) {
    throw createFailure(
      failureTypes.notDone,
      `Chain ${run.chainId} has not started, or has fewer than ${steps} complete steps.`,
    );
  }
  return { agent, origin: until === null ? null : toOrigin(run, until, steps, null) };
}
