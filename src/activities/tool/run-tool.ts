/**
 * One attempt at a tool call. L5: whatever fails before the tool's `run` is entered is `NotDone`; from
 * there on an unsafe tool's failure leaves its outcome unknown, which is for the chain to say.
 *
 * Whatever the tool gives back or throws passes the hider of its secrets before it leaves the activity.
 */

import { CancelledFailure, Context } from '@temporalio/activity';
import type { Agent } from '../../agents/define-agent.js';
import type { RunToolInput } from '../../contract/activities.js';
import { failureTypes } from '../../contract/names.js';
import { callKey, digest } from '../../core/lib/digest.js';
import { errorName, nameIn } from '../../core/lib/error-name.js';
import type { Json } from '../../core/lib/json.js';
import type { Observation } from '../../core/model/fact.js';
import { saidBy } from '../../core/redact/hide-in.js';
import { type Hider, noHider } from '../../core/redact/known-secrets.js';
import type { Tool, ToolContext } from '../../tools/define/define-tool.js';
import { isFatal, isNamed } from '../../tools/define/errors.js';
import { asJson, observationOf } from '../../tools/define/observation.js';
import { belongsTo, type Heart, keepAlive, ownHistory } from '../context/activity-context.js';
import type { Dependencies } from '../context/dependencies.js';
import { failure, messageOf } from '../context/failures.js';
import { artifactsOf, cachedAnswer, type Keeping, keepWhole, sparing } from './call-store.js';
import { createRefuseAfterReset, refuseChanged } from './refuse-call.js';
import { carefulArtifact, carefulBeat, carefulLog, type SecretsOfCall, secretsOfCall } from './secrets-of-call.js';

export function runTool(dependencies: Dependencies) {
  const { instruments, folds, blobs, toolCache } = dependencies;
  const refuseAfterReset = createRefuseAfterReset(dependencies.archived);
  const spare = sparing();
  return async (input: RunToolInput): Promise<Observation> => {
    const context = Context.current();
    const heart = keepAlive();
    belongsTo(input.step);
    try {
      const { agent, tool } = find(dependencies, input.agent, context.info.activityType);
      const enter = parsed(tool, input);
      if (tool.snapshot.effects === 'unsafe') {
        if (context.info.attempt > 1) throw inDoubt(tool.name);
        await refuseAfterReset(context, input.retried);
      }
      await refuseChanged({ ...dependencies, agent }, tool, input);
      const { history, run: own } = ownHistory(context);
      const call = {
        chainId: own.workflowId,
        agent: input.agent,
        tool: tool.name,
        call: context.info.activityId,
        chain: () => folds.latest(history, own),
      };
      const owner = { namespace: history.namespace, chainId: own.workflowId };
      const keeping: Keeping = { blobs, owner, spare, log: context.log };
      const tenant = async () => (await folds.latest(history, own)).state.input?.tenant ?? null;
      return await instruments.tool(call, async () => {
        const { found, keep } = await cachedAnswer({ ...keeping, toolCache, ...owner, tenant }, tool, input);
        if (found !== null) return { ...(await observed(keeping, found.value, input)), cached: { ageMs: found.ageMs } };
        const secrets = await secretsOfCall(dependencies, tool);
        const { artifact, made } = artifactsOf(keeping);
        const value = asJson(await run(tool, input, { heart, artifact, secrets }, enter));
        if (made().length > 0) return { ...(await observed(keeping, value, input)), artifacts: made() };
        await keep(value);
        return observed(keeping, value, input);
      });
    } finally {
      heart.stop();
    }
  };
}

function observed(keeping: Keeping, value: Json, { maxObservationTokens }: RunToolInput): Promise<Observation> {
  return keepWhole(keeping, value, observationOf(value, maxObservationTokens));
}

/** The tool has become unsafe since the chain began, and an attempt was made already. */
function inDoubt(tool: string): Error {
  return failure(failureTypes.inDoubt, `${tool} is unsafe now, and an earlier attempt at this call may have done it`);
}

function find({ agents }: Dependencies, by: string, name: string): { readonly agent: Agent; readonly tool: Tool } {
  const agent = agents.get(by);
  const tool = agent?.tool(name);
  if (agent !== undefined && tool !== undefined) return { agent, tool };
  throw failure(failureTypes.notDone, `This worker has no tool named ${name} for agent ${by}; it was not run.`);
}

/** The schema may have changed since the model's call was checked. */
function parsed(tool: Tool, input: RunToolInput): ReturnType<Tool['parse']> {
  try {
    return tool.parse(input.input);
  } catch (error) {
    throw failure(
      failureTypes.notDone,
      `The arguments no longer fit ${tool.name}; it was not run. ${messageOf(error)}`,
    );
  }
}

interface Given {
  readonly heart: Heart;
  readonly artifact: ToolContext['artifact'];
  readonly secrets: SecretsOfCall;
}

async function run(
  tool: Tool,
  input: RunToolInput,
  { heart, artifact, secrets: { secret, hider } }: Given,
  enter: (given: ToolContext<string>) => unknown,
): Promise<unknown> {
  const { info, log, cancellationSignal: signal } = Context.current();
  try {
    const value = await enter({
      signal,
      idempotencyKey: idempotencyKey(input, info.activityId, tool.name),
      attempt: info.attempt,
      chainId: info.workflowExecution?.workflowId ?? '',
      step: input.step,
      log: carefulLog(log, hider),
      heartbeat: carefulBeat(heart.beat, hider),
      artifact: carefulArtifact(artifact, hider),
      secret,
    });
    return hider === noHider ? value : hider.value(asJson(value));
  } catch (error) {
    throw asFailure(tool, error, { signal, hider });
  }
}

/**
 * Neither another attempt nor a reset nor a next run of the chain changes it; another request at the same
 * place after a reset, and a second chain of the same id, have their own.
 */
function idempotencyKey({ firstRunId, input }: RunToolInput, call: string, tool: string): string {
  return digest(`${firstRunId}/${call}/${callKey(tool, input)}`).slice(0, 32);
}

interface Failing {
  readonly signal: AbortSignal;
  readonly hider: Hider;
}

/** Of what was thrown only its name and its message: neither a stack nor a cause goes into a history. */
function asFailure(tool: Tool, error: unknown, failing: Failing): Error {
  try {
    return told(tool, error, failing);
  } catch {
    return failure('Error', `What ${tool.name} threw cannot be read.`, { retryable: mayRepeat(tool) });
  }
}

function told(tool: Tool, error: unknown, { signal, hider }: Failing): Error {
  const said = saidBy(error);
  const message = hider.text(said);
  if (isNamed(error, 'NotDone')) return failure(failureTypes.notDone, message);
  if (isNamed(error, 'ToolError')) {
    return failure(failureTypes.toolError, message, { details: { fatal: isFatal(error) } });
  }
  if (signal.aborted && mayRepeat(tool)) {
    const { reason } = signal;
    if (reason instanceof CancelledFailure && !reason.message.includes('WORKER_SHUTDOWN')) return reason;
  }
  const retryable = mayRepeat(tool);
  if (!(error instanceof Error)) return failure('Error', message, { retryable });
  const type = errorName(error);
  if (type !== null) return failure(hider.text(type), message, { retryable });
  // A failure's type is neither masked nor encrypted: a name that may be data belongs to the message.
  const name = nameIn(error);
  return failure('Error', name === null ? message : hider.text(`${name}: ${said}`), { retryable });
}

function mayRepeat(tool: Tool): boolean {
  return tool.snapshot.effects !== 'unsafe';
}
