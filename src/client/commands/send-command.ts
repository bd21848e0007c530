/**
 * Says something to a running chain: as an update, whose validator refuses at once what cannot be taken, and leaves no
 * event then. What no worker took in time is sent again as a signal: a server's restart loses the one and not the other.
 *
 * 1. Both carry one id, and the chain takes it once.
 * 2. What was refused is never sent again.
 */

import { randomUUID } from 'node:crypto';
import { type Client, type WorkflowHandle, WorkflowUpdateFailedError, WorkflowUpdateStage } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { messageNames } from '../../contract/names.js';
import { isRejectionCode } from '../../core/model/rejection.js';
import { ChainNotFoundError, CommandRejectedError } from '../errors/errors.js';
import { createMetadataClient } from '../read/many-chains.js';

/** What became of what somebody said. */
export interface CommandReceipt {
  /** The chain takes it once, however often it arrives under this id. */
  readonly id: string;
  /**
   * `taken`: it is a fact of the chain. `sent`: no worker answered within 5 seconds; the server keeps it for the first
   * that does, and if the chain can then not take it any more, its notices say why.
   */
  readonly status: 'taken' | 'sent';
}

export interface CommandTarget {
  readonly client: Client;
  readonly handle: WorkflowHandle;
}

/** Milliseconds. */
const acceptanceTimeoutMs = 5_000;

/**
 * @param said the members of the message; id and chain are added
 * @throws {CommandRejectedError} when it cannot be taken, saying why, also of a chain that has ended
 * @throws {ChainNotFoundError}
 */
export async function sendCommand(
  told: CommandTarget,
  name: (typeof messageNames)[keyof typeof messageNames],
  said: object,
): Promise<CommandReceipt> {
  const id = randomUUID();
  const message = { ...said, id, chainId: told.handle.workflowId };
  try {
    const status = await sendUpdate(told, name, message);
    if (status === 'sent') await told.handle.signal(name, message);
    return { id, status };
  } catch (error) {
    throw isNotRunning(error) ? await toNotRunningError(told.handle) : error;
  }
}

async function sendUpdate(
  { client, handle }: CommandTarget,
  name: string,
  message: { readonly id: string },
): Promise<CommandReceipt['status']> {
  let accepted = false;
  try {
    await client.withDeadline(Date.now() + acceptanceTimeoutMs, async () => {
      const updated = await handle.startUpdate(name, {
        args: [message],
        updateId: message.id,
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
    if (accepted) return 'taken';
    if (isNotRunning(error)) throw error;
    return 'sent';
  }
  return 'taken';
}

/** A worker of another version may send a code that this client does not know. */
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
