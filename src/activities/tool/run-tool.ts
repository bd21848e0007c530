/**
 * One attempt at a tool call. L5: a failure before the tool's `execute` is `NotDone`; later failures of an unsafe tool
 * leave the outcome unknown, which the chain decides.
 *
 * Everything that the tool returns or throws is masked before it leaves the activity.
 */

import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import type { Agent } from '../../agents/define-agent.js';
import type { RunToolInput } from '../../contract/activities.js';
import { failureTypes, workflowType } from '../../contract/names.js';
import { computeCallKey, computeIdempotencyKey } from '../../core/lib/digest.js';
import { findErrorName, findStatedName } from '../../core/lib/error-name.js';
import { listStackLines } from '../../core/lib/error-stack.js';
import { toErrorMessage } from '../../core/lib/errors.js';
import type { Json } from '../../core/lib/json.js';
import { parseForeignActivityId } from '../../core/model/activity.js';
import type { Observation } from '../../core/model/fact.js';
import { noSecretMasker, type SecretMasker } from '../../core/redact/known-secrets.js';
import { toSafeErrorMessage } from '../../core/redact/mask-unknown.js';
import { createRedactor } from '../../core/redact/redactor.js';
import { noRequester } from '../../core/state/requester.js';
import type { Run } from '../../history/read-history.js';
import { registeredSecretsMasker } from '../../secrets/secret-registry.js';
import { markOperation } from '../../timing/loop-guard.js';
import { Unanswered } from '../../tools/define/ask-person.js';
import type { Tool, ToolContext } from '../../tools/define/define-tool.js';
import { isFatal, isNamed } from '../../tools/define/errors.js';
import { toObservation } from '../../tools/define/observation.js';
import { isErrorBefore } from '../../tools/define/wrap-tools.js';
import { getOwnHistory, type Heartbeat, setLoggedStep, startHeartbeat } from '../context/activity-context.js';
import { findChangedDefinition, findMissingSourceTool } from '../context/agent-tools.js';
import type { Dependencies } from '../context/dependencies.js';
import {
  createFailure,
  createUnknownAgentFailure,
  createUnknownToolFailure,
  toRegisteredAgents,
} from '../context/failures.js';
import { type CallFee, createCallFee } from './call-fee.js';
import { createFileCollector, type FileCollector } from './call-files.js';
import { createInterimEmitter, type InterimOptions } from './call-interim.js';
import { type AskedModels, createAskedModels, reportUses } from './call-models.js';
import { type CallQuestions, createCallQuestions } from './call-questions.js';
import {
  type CallSecrets,
  createRedactingArtifact,
  createRedactingHeartbeat,
  createRedactingLog,
  readCallSecrets,
} from './call-secrets.js';
import { createCallStorage } from './call-storage.js';
import {
  type CallStore,
  createArtifactCollector,
  createStoreGuard,
  findCachedAnswer,
  storeFullContent,
} from './call-store.js';
import { createVisibilityCollector } from './call-visibility.js';
import { createSlotHolder, TimeLimitReached } from './hold-slot.js';
import { checkUncheckedCall, createRejectAfterReset, rejectChangedCall } from './reject-call.js';

export function runTool(dependencies: Dependencies) {
  const { instruments, folds, blobs, toolCache, slots } = dependencies;
  const rejectAfterReset = createRejectAfterReset(dependencies.archived);
  const storeGuard = createStoreGuard();
  return async (input: RunToolInput): Promise<Observation> => {
    rejectOtherWorkflow(Context.current());
    const models = createAskedModels(dependencies, input);
    const fee = input.fee === undefined ? null : createCallFee(input.fee);
    return await reportUses(models ?? fee, () => execute(input, models, fee));
  };

  /** Checks a call whose activity or workflow is the user's. Nothing is executed, so that further attempts are no doubt. */
  async function checkCall(agent: Agent, tool: Tool, input: RunToolInput): Promise<Observation> {
    const isUnsafe = input.check === 'unsafe' || tool.snapshot.effects === 'unsafe';
    if (isUnsafe) await rejectAfterReset(Context.current(), input.retryApproved);
    await rejectChangedCall({ ...dependencies, agent }, tool, input);
    await checkUncheckedCall({ ...dependencies, agent }, tool, input);
    return { content: null, clippedFrom: null };
  }

  async function execute(input: RunToolInput, models: AskedModels | null, fee: CallFee | null): Promise<Observation> {
    const context = Context.current();
    const heart = startHeartbeat(dependencies.heartbeatMs);
    setLoggedStep(input.step);
    try {
      const { agent, tool } = await findTool(dependencies, input, context.info);
      const enter = parseInput(tool, input);
      if (input.check !== undefined) return await checkCall(agent, tool, input);
      if (tool.snapshot.effects === 'unsafe') {
        const attempted = input.attempted === true && !input.retryApproved;
        if (context.info.attempt > 1 || attempted) throw createInDoubtFailure(tool.name);
        await rejectAfterReset(context, input.retryApproved);
      }
      await rejectChangedCall({ ...dependencies, agent }, tool, input);
      await checkUncheckedCall({ ...dependencies, agent }, tool, input);
      const { history, run: own } = getOwnHistory(context);
      const requester = input.requester ?? noRequester;
      const { tenant } = requester;
      const call = {
        ...{ chainId: own.workflowId, agent: input.agent, tenant, step: input.step, tool: tool.name },
        ...{ call: context.info.activityId, attempt: context.info.attempt },
        chain: () => folds.readLatest(history, own),
      };
      const owner = { namespace: history.namespace, chainId: own.workflowId };
      const store: CallStore = { blobs, owner, guard: storeGuard, log: context.log };
      return await instruments.measureToolCall(call, async () => {
        const { found, put } = await findCachedAnswer({ ...store, toolCache, ...owner, tenant }, tool, input);
        if (found !== null)
          return { ...(await toStoredObservation(store, found.value, input)), cached: { ageMs: found.ageMs } };
        const secrets = await readCallSecrets(dependencies.secrets, tool, requester);
        const { artifact, list } = createArtifactCollector(store);
        const shown = createVisibilityCollector(secrets.masker);
        const interim = createInterimEmitter({
          send: createInterimSender({ heart, tokens: dependencies.tokens }, tool, own),
          masker: secrets.masker,
          getVisibility: shown.get,
        });
        const questions = createCallQuestions(tool.name, input, secrets.masker);
        const able = { artifact, visibility: shown.visibility, emit: interim.emit };
        const holdSlot = createSlotHolder(tool, {
          ...{ slots, chainId: own.workflowId, interim },
          readState: async () => (await call.chain()).state,
        });
        const files = createFileCollector(secrets.masker);
        const storage = createCallStorage(dependencies, {
          ...owner,
          agent: agent.name,
          requester,
          input,
          chain: call.chain,
        });
        const run = (called: ToolContext<string>) =>
          holdSlot(called.signal, async (signal) => {
            fee?.begin();
            markOperation(`tool ${tool.name}`);
            try {
              return await enter({ ...called, signal }, models ?? undefined, storage);
            } catch (error) {
              if (isErrorBefore(error)) fee?.release();
              throw error;
            }
          });
        const returned = await executeTool(tool, input, { heart, able, files, secrets, questions }, run).finally(
          interim.stop,
        );
        fee?.settle(tool, input.input, returned);
        const { value, parts: withFiles } = await files.store(store, returned);
        const parts = { ...withFiles, ...(list().length > 0 ? { artifacts: list() } : {}), ...shown.get() };
        // Equal calls reuse the value alone, without these parts.
        if (Object.keys(parts).length === 0 && input.answers === undefined) await put(value);
        return { ...(await toStoredObservation(store, value, input)), ...parts };
      });
    } catch (error) {
      if (wasNotDone(error)) fee?.release();
      throw error;
    } finally {
      heart.stop();
    }
  }
}

function toStoredObservation(
  store: CallStore,
  value: Json,
  { maxObservationTokens }: RunToolInput,
): Promise<Observation> {
  return storeFullContent(store, value, toObservation(value, maxObservationTokens));
}

/** The tool became unsafe after the chain started, and an earlier attempt was made. */
function createInDoubtFailure(tool: string): Error {
  return createFailure(
    failureTypes.inDoubt,
    `${tool} is unsafe now, and an earlier attempt at this call may have executed it`,
  );
}

/**
 * An activity of a user's own workflow, or of a tool made of one, that this worker does not have. Another worker of the queue may have it,
 * so a chain tries again. An unsafe call has one attempt, in a workflow of its own, and it did not run.
 */
function rejectOtherWorkflow({ info }: Context): void {
  const { activityType, activityId } = info;
  if (info.workflowType === workflowType && parseForeignActivityId(activityId) === null) return;
  const message = `This worker has no activity named ${activityType}. Pass it with the option \`activities\` of the worker.`;
  const type = info.workflowType === workflowType ? failureTypes.unknownActivity : failureTypes.notDone;
  throw createFailure(type, message, { retryable: true });
}

async function findTool(
  dependencies: Dependencies,
  { agent: by, source }: RunToolInput,
  { activityType: name, attempt }: Context['info'],
): Promise<{ readonly agent: Agent; readonly tool: Tool }> {
  const defined = dependencies.agents.get(by);
  // An earlier attempt may have executed the tool on another worker: its effects may be others there.
  const details = attempt > 1 ? { attempted: true } : undefined;
  if (defined === undefined) throw createUnknownAgentFailure(toRegisteredAgents(dependencies.agents), by, details);
  // A source that hangs must not delay the calls of other tools.
  const isOwn = source === undefined && defined.tool(name) !== undefined;
  const agent = isOwn ? defined : await dependencies.sources.load(defined);
  const tool = agent.tool(name);
  if (tool === undefined) {
    const missing = source === undefined ? null : findMissingSourceTool(dependencies.sources, agent, name, source);
    if (missing !== null) throw createFailure(failureTypes.notDone, missing, { retryable: true });
    throw createUnknownToolFailure(by, name, details);
  }
  const changed = findChangedDefinition(tool, source);
  if (changed !== null) throw createFailure(failureTypes.notDone, changed);
  return { agent, tool };
}

/** Parses the arguments again: the schema may have changed since the model's call was checked. */
function parseInput(tool: Tool, input: RunToolInput): ReturnType<Tool['parse']> {
  try {
    return tool.parse(input.input);
  } catch (error) {
    throw createFailure(
      failureTypes.notDone,
      `The arguments no longer match the schema of ${tool.name}; it did not run. ${toErrorMessage(error)}`,
    );
  }
}

/** Sends interim results with the heartbeat and to followers. */
function createInterimSender(
  { heart, tokens }: Pick<Dependencies, 'tokens'> & { readonly heart: Heartbeat },
  { name: tool }: Tool,
  { workflowId: chainId, runId }: Run,
): InterimOptions['send'] {
  const { activityId: call, attempt } = Context.current().info;
  const of = { chainId, runId, step: Number.parseInt(call, 10), call, tool, attempt };
  return (interim, sequence) => {
    heart.setInterim(interim === null ? null : { attempt, interim });
    tokens?.publish({ ...of, sequence, interim });
  };
}

/** Tokens of a result beside a question. */
const maxInterimTokens = 1_000;

function toInterimResult(value: Json): Json {
  return toObservation(value, maxInterimTokens).content;
}

interface ExecutionContext {
  readonly heart: Heartbeat;
  readonly able: Pick<ToolContext, 'artifact' | 'visibility' | 'emit'>;
  readonly questions: CallQuestions;
  readonly files: FileCollector;
  readonly secrets: CallSecrets;
}

async function executeTool(
  tool: Tool,
  input: RunToolInput,
  { heart, able, files, questions, secrets: { secret, masker } }: ExecutionContext,
  enter: (context: ToolContext<string>) => unknown,
): Promise<Json> {
  const { info, log, cancellationSignal: signal } = Context.current();
  try {
    const returned = await enter({
      signal,
      idempotencyKey: computeIdempotencyKey(input.firstRunId, info.activityId, computeCallKey(tool.name, input.input)),
      attempt: info.attempt,
      chainId: info.workflowExecution?.workflowId ?? '',
      ...(input.requester ?? noRequester),
      step: input.step,
      log: createRedactingLog(log, masker),
      heartbeat: createRedactingHeartbeat(heart.beat, masker),
      emit: able.emit,
      ask: questions.ask,
      visibility: able.visibility,
      artifact: createRedactingArtifact(able.artifact, masker),
      secret,
    });
    const value = files.take(returned);
    // L5: an unsafe call that returned may have had its effect, and is not run again for an answer that it did not need.
    if (canRepeat(tool)) questions.rejectUnanswered();
    return masker === noSecretMasker ? value : masker.value(value);
  } catch (error) {
    const { result } = error instanceof Unanswered ? error : {};
    if (canRepeat(tool) || isNamed(error, 'NotDone'))
      questions.rejectUnanswered(result === undefined ? undefined : toInterimResult(masker.value(files.take(result))));
    throw toActivityFailure(tool, error, { signal, masker });
  }
}

interface FailureContext {
  readonly signal: AbortSignal;
  readonly masker: SecretMasker;
}

/**
 * Converts a thrown value to a failure with its name, its message and its stack. The stack is for developers: the fact has
 * none, and the model sees none.
 */
function toActivityFailure(tool: Tool, error: unknown, failing: FailureContext): Error {
  try {
    return toToolFailure(tool, error, failing);
  } catch {
    return createFailure('Error', `The error of ${tool.name} cannot be read.`, { retryable: canRepeat(tool) });
  }
}

function toToolFailure(tool: Tool, error: unknown, { signal, masker }: FailureContext): Error {
  const unmasked = toSafeErrorMessage(error);
  const message = masker.text(unmasked);
  if (error instanceof TimeLimitReached) return createFailure('timeout', message, { retryable: canRepeat(tool) });
  // The tool's own sentence states where it stopped: only its cause needs a stack.
  // A repeatable call that was stopped before it happened is cancelled, or repeated by another worker.
  if (isNamed(error, 'NotDone') && !(signal.aborted && canRepeat(tool)))
    return createFailure(failureTypes.notDone, message, { stack: listToolStack(error, masker, true) });
  if (isNamed(error, 'ToolError')) {
    const details = { fatal: isFatal(error) };
    return createFailure(failureTypes.toolError, message, { details, stack: listToolStack(error, masker, true) });
  }
  if (signal.aborted && canRepeat(tool)) {
    const { reason } = signal;
    if (reason instanceof CancelledFailure && !reason.message.includes('WORKER_SHUTDOWN')) return reason;
  }
  const retryable = canRepeat(tool);
  if (!(error instanceof Error)) return createFailure('Error', message, { retryable });
  const options = { retryable, stack: listToolStack(error, masker) };
  const type = findErrorName(error);
  if (type !== null) return createFailure(masker.text(type), message, options);
  // A failure's type is neither masked nor encrypted: a name that may be data belongs to the message.
  const name = findStatedName(error);
  return createFailure('Error', name === null ? message : masker.text(`${name}: ${unmasked}`), options);
}

/** The callers of a tool's `execute`, compiled or not. */
const ownFrame =
  /[\\/](?:activities[\\/]tool[\\/]run-tool|tools[\\/]define[\\/]define-tool|tools[\\/]isolation[\\/][\w-]+)\.[jt]s/;

/** Returns the frames down to the tool's `execute`: the others are Longhand's. Secrets are also masked by their form. */
function listToolStack(error: Error, masker: SecretMasker, causesOnly = false): readonly string[] {
  const redactor = createRedactor();
  const mask = (text: string) => redactor.text(registeredSecretsMasker.text(masker.text(text)));
  return listStackLines(error, { mask, until: ownFrame, causesOnly });
}

/** A call that asked a person runs again, and is paid then. */
function wasNotDone(error: unknown): boolean {
  if (!(error instanceof ApplicationFailure)) return false;
  return error.type === failureTypes.notDone || error.type === failureTypes.questionAsked;
}

function canRepeat(tool: Tool): boolean {
  return tool.snapshot.effects !== 'unsafe';
}
