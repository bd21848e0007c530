/**
 * Sends a command to a running chain as an update, whose validator rejects invalid commands without an event in the
 * history. If no worker accepts it in time, it is sent again as a signal: a restart of the server can lose an update,
 * not a signal.
 *
 * 1. Both carry the same id, and the chain accepts it once.
 * 2. A rejected command is not sent again.
 * 3. Signals that no worker takes are bounded: a chain with thousands of them would take minutes to start.
 * 4. A command that Temporal would not store is rejected before it is sent: its answer would be an error of the server.
 */

import { randomUUID } from 'node:crypto';
import {
  type Client,
  ServiceError,
  type WorkflowHandle,
  WorkflowUpdateFailedError,
  WorkflowUpdateStage,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { messageNames } from '../../contract/index.js';
import { countJsonBytes, formatCount, type Json } from '../../core/lib/index.js';
import { defaults, isRejectionCode } from '../../core/model/index.js';
import { ChainNotFoundError, CommandRejectedError } from '../errors/errors.js';
import { createMetadataClient } from '../read/metadata-client.js';

/** Receipt of a command. */
export interface CommandReceipt {
  /** Id of the command. The chain accepts it once, however often it arrives. */
  readonly id: string;
  /**
   * `accepted`: the command is a fact of the chain. `sent`: no worker answered within 5 seconds; the server stores the
   * command for the next worker. If the chain rejects it then, a notice states why.
   */
  readonly status: 'accepted' | 'sent';
}

export interface CommandTarget {
  readonly client: Client;
  readonly handle: WorkflowHandle;
}

/** Milliseconds until a worker must have accepted the update. */
const acceptanceTimeoutMs = 5_000;

/**
 * @param members members of the message; id and chain are added
 * @param id id of the command: the chain accepts it once
 * @param updateId of the update: a second one with it succeeds as the first did, also with another content. With another one, the
 *   chain rejects a second command with the same id
 * @throws {CommandRejectedError} when the chain rejects the command or has ended
 * @throws {ChainNotFoundError}
 */
export async function sendCommand(
  target: CommandTarget,
  name: (typeof messageNames)[keyof typeof messageNames],
  members: object,
  id: string = randomUUID(),
  updateId: string = id,
): Promise<CommandReceipt> {
  const { workflowId } = target.handle;
  const message = { ...members, id, chainId: workflowId };
  checkBytes(workflowId, 'The command is', message as Json, defaults.payloadBytes);
  try {
    if ((await sendUpdate(target, name, message, updateId)) === 'accepted') return { id, status: 'accepted' };
    if (name !== messageNames.cancel) await checkQueue(target);
    await target.handle.signal(name, message);
    return { id, status: 'sent' };
  } catch (error) {
    if (isSignalLimit(error)) throw createQueueFull(workflowId, 'The server stores no more signals for this run.');
    if (isTooLarge(error)) throw createTooLong(workflowId, 'The command is too large for the server.');
    throw isNotRunning(error) ? await toNotRunningError(target.handle) : error;
  }
}

/**
 * Checks the bytes of a value as JSON. A huge one is not counted to its end.
 *
 * @param subject the start of the sentence, with its verb
 * @throws {CommandRejectedError} `too_long`
 */
export function checkBytes(chainId: string, subject: string, value: Json, max: number): void {
  if (countJsonBytes(value, max) > max)
    throw createTooLong(chainId, `${subject} over ${formatCount(max)} bytes, which is the limit.`);
}

function createTooLong(chainId: string, problem: string): CommandRejectedError {
  return new CommandRejectedError(chainId, 'too_long', `${problem} Store long content where a tool can read it.`);
}

/**
 * Implements rule 3, after the update was not answered in time. The count is in the history: the signals after the last
 * completed workflow task. A history that is shorter than the bound is not read.
 */
async function checkQueue({ client, handle }: CommandTarget): Promise<void> {
  const { namespace } = client.options;
  const execution = { workflowId: handle.workflowId };
  const { workflowExecutionInfo } = await client.workflowService.describeWorkflowExecution({ namespace, execution });
  if (Number(workflowExecutionInfo?.historyLength ?? 0) < defaults.queuedCommands) return;
  const count = await countQueuedSignals(client, handle.workflowId);
  if (count < defaults.queuedCommands) return;
  throw createQueueFull(handle.workflowId, `${formatCount(count)} commands wait, and no worker takes them.`);
}

/** Counts backwards to the last completed workflow task, and no further than the bound. */
async function countQueuedSignals(client: Client, workflowId: string): Promise<number> {
  let count = 0;
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const page = await client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: client.options.namespace,
      execution: { workflowId },
      maximumPageSize: queuePageSize,
      ...(nextPageToken ? { nextPageToken } : {}),
    });
    for (const event of page.history?.events ?? []) {
      if (event.workflowTaskCompletedEventAttributes) return count;
      if (event.workflowExecutionSignaledEventAttributes) count += 1;
    }
    nextPageToken = page.nextPageToken;
  } while (count < defaults.queuedCommands && nextPageToken?.length);
  return count;
}

/** Events of a page: the server answers with at most 4 MB, which holds few events of the largest size. */
const queuePageSize = 100;

function createQueueFull(chainId: string, problem: string): CommandRejectedError {
  const fix = 'Start a worker of its agent, and send the command again when it runs.';
  return new CommandRejectedError(chainId, 'queue_full', `${problem} ${fix}`);
}

/** Whether the server rejected a signal since the run has as many as it permits: 10,000 by default. */
function isSignalLimit(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return cause instanceof Error && /limit for signal events/i.test(cause.message);
}

/** Whether the server rejected a payload, by its own limit, or a whole request, by that of gRPC. */
function isTooLarge(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return cause instanceof Error && /size exceeds limit|received message larger than max/i.test(cause.message);
}

/** `unanswered`: no worker accepted or rejected it in time. */
type UpdateAnswer = 'accepted' | 'unanswered';

async function sendUpdate(
  { client, handle }: CommandTarget,
  name: string,
  message: object,
  updateId: string,
): Promise<UpdateAnswer> {
  let accepted = false;
  try {
    await client.withDeadline(Date.now() + acceptanceTimeoutMs, async () => {
      const updated = await handle.startUpdate(name, {
        args: [message],
        updateId,
        waitForStage: WorkflowUpdateStage.ACCEPTED,
      });
      // A rejected update completes as well, as a failure.
      accepted = true;
      await updated.result();
    });
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) {
      throw toRejectedError(handle.workflowId, error);
    }
    if (accepted) return 'accepted';
    if (isNotRunning(error)) throw error;
    return 'unanswered';
  }
  return 'accepted';
}

/** Converts the failure of an update. A worker of another version may send a code that this client does not know. */
function toRejectedError(chainId: string, error: WorkflowUpdateFailedError): CommandRejectedError {
  const { cause } = error;
  const [code] = cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
  return new CommandRejectedError(
    chainId,
    isRejectionCode(code) ? code : 'unreadable',
    cause?.message ?? error.message,
  );
}

/** Whether the server answered that no run of this id is open. */
export function isNotRunning(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowNotFoundError';
}

/** The error for a chain that is not running: it has ended, or never existed. */
async function toNotRunningError(handle: WorkflowHandle): Promise<CommandRejectedError | ChainNotFoundError> {
  const { workflowId } = handle;
  try {
    await createMetadataClient(handle.client).getHandle(workflowId).describe();
  } catch (error) {
    if (isNotRunning(error)) return new ChainNotFoundError(workflowId);
    throw error;
  }
  return new CommandRejectedError(workflowId, 'chain_ended', `Chain ${workflowId} has ended and accepts no command.`);
}
