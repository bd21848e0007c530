/** People in tests: they wait for requests and send commands to the server. */

import { randomUUID } from 'node:crypto';
import { ApplicationFailure, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { expect, vi } from 'vitest';
import type { MessageName } from '../../src/contract/messages.js';
import { messageNames } from '../../src/contract/names.js';
import { listWaitingCalls } from '../../src/core/engine/state/due-requests.js';
import { isRejectionCode, type Rejection } from '../../src/core/model/rejection.js';
import type { Longhand } from '../../src/entries/client.js';
import type { ChainState } from '../../src/entries/view.js';

export type CommandFields = { readonly [member: string]: unknown };

/** Sends an update and waits until the chain has applied it. @throws WorkflowUpdateFailedError if it is rejected */
export async function sendCommand(
  longhand: Longhand,
  chainId: string,
  name: MessageName,
  fields: CommandFields = {},
): Promise<void> {
  const handle = longhand.client.workflow.getHandle(chainId);
  await handle.executeUpdate(messageNames[name], { args: [{ by: 'ana', ...fields }], updateId: randomUUID() });
}

/** Sends a signal, which cannot be rejected. */
export async function sendSignal(
  longhand: Longhand,
  chainId: string,
  name: MessageName,
  fields: CommandFields = {},
): Promise<void> {
  await longhand.client.workflow.getHandle(chainId).signal(messageNames[name], { by: 'ana', ...fields });
}

/** A rejection by the chain, or by the server because the chain has ended. */
export type SeenRejection = Omit<Rejection, 'code'> & { readonly code: Rejection['code'] | 'chain_ended' };

/** Sends an update and returns its rejection; null when the chain accepts it. */
export async function findRejection(...command: Parameters<typeof sendCommand>): Promise<SeenRejection | null> {
  try {
    await sendCommand(...command);
    return null;
  } catch (error) {
    // Also an update that arrived before the end, with the last task.
    if (error instanceof WorkflowNotFoundError) return { code: 'chain_ended', message: error.message };
    if (!(error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure)) throw error;
    const [code] = error.cause.details ?? [];
    if (!isRejectionCode(code)) throw error;
    return { code, message: error.cause.message };
  }
}

/** Returns the state of a chain, folded from its history. */
export async function readState(longhand: Longhand, chainId: string): Promise<ChainState> {
  return (await longhand.getHandle(chainId).read()).state;
}

/** Waits until exactly these calls wait for a person. */
export async function waitForRequests(longhand: Longhand, chainId: string, ...calls: readonly string[]): Promise<void> {
  const open = async () => listWaitingCalls(await readState(longhand, chainId)).map(({ id }) => id);
  // Not `expect.poll`, because this is also called outside of tests.
  await vi.waitFor(async () => expect(await open()).toEqual(calls), { timeout: 60_000, interval: 50 });
}

/** Waits for the request about an unknown outcome and gives it up. */
export async function giveUpOutcome(longhand: Longhand, chainId: string, call: string): Promise<void> {
  await waitForRequests(longhand, chainId, call);
  await sendCommand(longhand, chainId, 'outcome', { call, outcome: 'give_up' });
}

/** Returns the types of the events of a chain's history. */
export async function listEventTypes({ client }: Longhand, chainId: string): Promise<readonly string[]> {
  const { events } = await client.workflow.getHandle(chainId).fetchHistory();
  return (events ?? []).map((event) => Object.keys(event).find((member) => member.endsWith('EventAttributes')) ?? '');
}
