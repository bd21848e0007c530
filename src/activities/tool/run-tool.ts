/**
 * One attempt at a tool call, as a list of stages. L5: a failure before the tool's `execute` is `NotDone`; later failures of
 * an unsafe tool leave the outcome unknown, which the chain decides.
 */

import { Context } from '@temporalio/activity';
import type { Agent } from '../../agents/index.js';
import { failureTypes, type RunToolInput } from '../../contract/index.js';
import { noRequester } from '../../core/engine/index.js';
import type { Json } from '../../core/lib/index.js';
import type { Observation } from '../../core/model/index.js';
import { type Tool, toObservation } from '../../tools/define/index.js';
import { getOwnHistory, setLoggedStep, startHeartbeat } from '../context/activity-context.js';
import type { Dependencies } from '../context/dependencies.js';
import { createFailure } from '../context/failures.js';
import { createStoreGuard } from '../context/store-guard.js';
import { createCallFee } from './call-fee.js';
import { createAskedModels, reportUses } from './call-models.js';
import { readCallSecrets } from './call-secrets.js';
import { type CallStore, findCachedAnswer, storeFullContent } from './call-store.js';
import { executeTool, getCallId, type ToolAttempt } from './execute-tool.js';
import { findTool, parseInput, rejectOtherWorkflow } from './find-tool.js';
import { checkUncheckedCall, createRejectAfterReset, rejectChangedCall } from './reject-call.js';
import { createSummarizer } from './summarize-result.js';
import { wasNotDone } from './tool-failure.js';

export function runTool(dependencies: Dependencies) {
  const rejectAfterReset = createRejectAfterReset(dependencies.archived);
  const storeGuard = createStoreGuard();

  return async (input: RunToolInput): Promise<Observation> => {
    const context = Context.current();
    rejectOtherWorkflow(context);
    const models = createAskedModels(dependencies, input);
    const fee = input.fee === undefined ? null : createCallFee(input.fee);
    const summarizer = createSummarizer(dependencies, input);
    return await reportUses(models ?? fee ?? summarizer, async () => {
      const heartbeat = startHeartbeat(dependencies.heartbeatMs);
      setLoggedStep(input.step, input.call);
      try {
        return await runStages({ dependencies, context, input, heartbeat, models, fee, summarizer });
      } catch (error) {
        if (wasNotDone(error)) fee?.release();
        throw error;
      } finally {
        heartbeat.stop();
      }
    });
  };

  /** All stages of an attempt, in order. A stage that ends the call throws, or returns its observation. */
  async function runStages(attempt: ToolAttempt): Promise<Observation> {
    const { context, input, fee } = attempt;
    const { agent, tool } = await findTool(dependencies, input, context.info);
    const enter = parseInput(tool, input);
    await rejectUnsafeRepeat(attempt, tool);
    await checkPolicies(agent, tool, input);
    // The activity or workflow of the call is the user's. Nothing is executed here, so that further attempts are not in doubt.
    if (input.check !== undefined) return { content: null, clippedFrom: null };

    const { history, run } = getOwnHistory(context);
    const requester = input.requester ?? noRequester;
    const { tenant } = requester;
    // The workflow task of a local call is not completed: its step is not in the chain yet.
    const { readLatest, readOngoing } = dependencies.folds;
    const readChain = () => (input.call === undefined ? readLatest : readOngoing)(history, run);
    const call = {
      ...{ chainId: run.workflowId, agent: input.agent, tenant, step: input.step, tool: tool.name },
      ...{ call: getCallId(attempt), attempt: context.info.attempt, chain: readChain },
    };
    return await dependencies.instruments.measureToolCall(call, async () => {
      const owner = { namespace: history.namespace, chainId: run.workflowId };
      const store: CallStore = { blobs: dependencies.blobs, owner, guard: storeGuard, log: context.log };
      const cache = { ...store, toolCache: dependencies.toolCache, namespace: history.namespace, tenant };
      const { found: cached, put } = await findCachedAnswer(cache, tool, input);
      if (cached !== null)
        return { ...(await toStoredObservation(store, tool, cached.value, attempt)), cached: { ageMs: cached.ageMs } };
      const secrets = await readCallSecrets(dependencies.secrets, tool, requester);
      const { result, storeParts } = await executeTool(attempt, { agent, tool, enter, secrets, store, readChain });
      fee?.settle(tool, input.input, result);
      const { value, parts } = await storeParts();
      // Equal calls reuse the value alone, without its parts.
      if (Object.keys(parts).length === 0 && input.answers === undefined) await put(value);
      return { ...(await toStoredObservation(store, tool, value, attempt)), ...parts };
    });
  }

  /** L5: an unsafe call runs once, also after the run was reset. */
  async function rejectUnsafeRepeat({ context, input }: ToolAttempt, tool: Tool): Promise<void> {
    const { check, attempted, retryApproved } = input;
    if (check !== 'unsafe' && tool.snapshot.effects !== 'unsafe') return;
    const mayHaveRun = context.info.attempt > 1 || (attempted === true && !retryApproved);
    if (check === undefined && mayHaveRun)
      // The tool became unsafe after the chain started, and an earlier attempt was made.
      throw createFailure(
        failureTypes.inDoubt,
        `${tool.name} is unsafe now, and an earlier attempt at this call may have executed it`,
      );
    await rejectAfterReset(context, retryApproved);
  }

  async function checkPolicies(agent: Agent, tool: Tool, input: RunToolInput): Promise<void> {
    await rejectChangedCall({ ...dependencies, agent }, tool, input);
    await checkUncheckedCall({ ...dependencies, agent }, tool, input);
  }
}

function toStoredObservation(
  store: CallStore,
  tool: Tool,
  value: Json,
  { input: { maxObservationTokens }, summarizer }: ToolAttempt,
): Promise<Observation> {
  if (summarizer !== null) return summarizer.observe(store, tool, value);
  return storeFullContent(store, value, toObservation(value, maxObservationTokens));
}
