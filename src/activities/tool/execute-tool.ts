/**
 * The stage of a call that executes its tool: in its slot, with its context, and with all that it emits collected. Everything
 * that the tool returns or throws is masked before it leaves the activity.
 */

import type { Context } from '@temporalio/activity';
import type { Agent } from '../../agents/index.js';
import type { RunToolInput } from '../../contract/index.js';
import { noRequester } from '../../core/engine/index.js';
import { computeCallKey, computeIdempotencyKey, type Json } from '../../core/lib/index.js';
import type { Chain, StoredParts } from '../../core/model/index.js';
import { noSecretMasker } from '../../core/redact/index.js';
import { markOperation } from '../../timing/index.js';
import {
  isErrorBefore,
  isNamed,
  type Tool,
  type ToolContext,
  toObservation,
  Unanswered,
} from '../../tools/define/index.js';
import type { Heartbeat } from '../context/activity-context.js';
import type { Dependencies } from '../context/dependencies.js';
import type { CallFee } from './call-fee.js';
import { createFileCollector } from './call-files.js';
import { createInterimEmitter, type InterimOptions } from './call-interim.js';
import type { AskedModels } from './call-models.js';
import { createCallQuestions } from './call-questions.js';
import {
  type CallSecrets,
  createRedactingArtifact,
  createRedactingHeartbeat,
  createRedactingLog,
} from './call-secrets.js';
import { createCallStorage } from './call-storage.js';
import { type CallStore, createArtifactCollector } from './call-store.js';
import { createVisibilityCollector } from './call-visibility.js';
import { createSlotHolder } from './hold-slot.js';
import type { ResultSummarizer } from './summarize-result.js';
import { canRepeat, toActivityFailure } from './tool-failure.js';

/** One attempt at a call, for all of its stages. */
export interface ToolAttempt {
  readonly dependencies: Dependencies;
  readonly context: Context;
  readonly input: RunToolInput;
  readonly heartbeat: Heartbeat;
  /** Null for a call that asks no models. */
  readonly models: AskedModels | null;
  /** Null for a call without a price of its own. */
  readonly fee: CallFee | null;
  /** Null for a call whose result is not to be summarized. */
  readonly summarizer: ResultSummarizer | null;
}

/** Returns the id of the call: a local activity has one of the SDK. */
export function getCallId({ context, input }: Pick<ToolAttempt, 'context' | 'input'>): string {
  return input.call ?? context.info.activityId;
}

/** What earlier stages found. */
interface Execution {
  readonly agent: Agent;
  readonly tool: Tool;
  readonly enter: ReturnType<Tool['parse']>;
  readonly secrets: CallSecrets;
  readonly store: CallStore;
  readonly readChain: () => Promise<Chain>;
}

interface ExecutedCall {
  readonly result: Json;
  /** Stores the files of the result. The value changes if one is not stored. */
  readonly storeParts: () => Promise<{ readonly value: Json; readonly parts: StoredParts }>;
}

export async function executeTool(attempt: ToolAttempt, execution: Execution): Promise<ExecutedCall> {
  const { dependencies, context, input, models, fee } = attempt;
  const { agent, tool, enter, secrets, store, readChain } = execution;
  const { masker } = secrets;
  const { cancellationSignal: signal } = context;
  const requester = input.requester ?? noRequester;
  const { artifact, list } = createArtifactCollector(store);
  const files = createFileCollector(masker);
  const { visibility, get: getVisibility } = createVisibilityCollector(masker);
  const interim = createInterimEmitter({ send: createInterimSender(attempt, tool), masker, getVisibility });
  const questions = createCallQuestions(tool.name, input, masker);
  const storage = createCallStorage(dependencies, {
    ...{ ...store.owner, agent: agent.name, requester, input, chain: readChain },
  });
  const holdSlot = createSlotHolder(tool, {
    ...{ slots: dependencies.slots, chainId: store.owner.chainId, interim },
    readState: async () => (await readChain()).state,
  });
  const toolContext = createToolContext(attempt, tool, secrets, {
    ...{ artifact, visibility, emit: interim.emit, ask: questions.ask },
  });
  try {
    const returned = await holdSlot(signal, async (slotSignal) => {
      fee?.begin();
      markOperation(`tool ${tool.name}`);
      try {
        return await enter({ ...toolContext, signal: slotSignal }, models ?? undefined, storage);
      } catch (error) {
        if (isErrorBefore(error)) fee?.release();
        throw error;
      }
    });
    const value = files.take(returned);
    // L5: an unsafe call that returned may have had its effect, and is not run again for an answer that it did not need.
    if (canRepeat(tool)) questions.rejectUnanswered();
    const result = masker === noSecretMasker ? value : masker.value(value);
    const storeParts = async () => {
      const stored = await files.store(store, result);
      const artifacts = list().length > 0 ? { artifacts: list() } : {};
      return { value: stored.value, parts: { ...stored.parts, ...artifacts, ...getVisibility() } };
    };
    return { result, storeParts };
  } catch (error) {
    const { result } = error instanceof Unanswered ? error : {};
    if (canRepeat(tool) || isNamed(error, 'NotDone'))
      questions.rejectUnanswered(result === undefined ? undefined : toInterimResult(masker.value(files.take(result))));
    throw toActivityFailure(tool, error, { signal, masker });
  } finally {
    interim.stop();
  }
}

function createToolContext(
  { context, input, heartbeat }: ToolAttempt,
  tool: Tool,
  { secret, masker }: CallSecrets,
  capabilities: Pick<ToolContext, 'artifact' | 'visibility' | 'emit' | 'ask'>,
): ToolContext<string> {
  const { info, log, cancellationSignal: signal } = context;
  const call = getCallId({ context, input });
  return {
    signal,
    idempotencyKey: computeIdempotencyKey(input.firstRunId, call, computeCallKey(tool.name, input.input)),
    attempt: info.attempt,
    chainId: info.workflowExecution?.workflowId ?? '',
    ...(input.requester ?? noRequester),
    step: input.step,
    log: createRedactingLog(log, masker),
    heartbeat: createRedactingHeartbeat(heartbeat.beat, masker),
    ...capabilities,
    artifact: createRedactingArtifact(capabilities.artifact, masker),
    secret,
  };
}

/** Sends interim results with the heartbeat and to followers. */
function createInterimSender(toolAttempt: ToolAttempt, { name: tool }: Tool): InterimOptions['send'] {
  const { heartbeat, context, dependencies } = toolAttempt;
  const { tokens } = dependencies;
  const { attempt, workflowExecution } = context.info;
  const call = getCallId(toolAttempt);
  const { workflowId: chainId, runId } = workflowExecution ?? { workflowId: '', runId: '' };
  const origin = { chainId, runId, step: Number.parseInt(call, 10), call, tool, attempt };
  return (interim, sequence) => {
    heartbeat.setInterim(interim === null ? null : { attempt, interim });
    tokens?.publish({ ...origin, sequence, interim });
  };
}

/** Tokens of a result beside a question. */
const maxInterimTokens = 1_000;

function toInterimResult(value: Json): Json {
  return toObservation(value, maxInterimTokens).content;
}
