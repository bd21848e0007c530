/** Sends the next message of a thread: starts its next chain once. */

import { isInSameThread, isThreadRef } from '../../core/model/index.js';
import { ChainExistsError } from '../errors/errors.js';
import type { RecordedHistory } from '../read/recorded-chain.js';
import { readThreadEnd } from '../read/thread.js';
import { type ThreadSource, toThreadMember } from '../read/thread-source.js';
import { checkStart } from './check-start.js';
import { createFollowUpStart, type FollowUpOptions, type FollowUpStart } from './follow-up.js';

/**
 * Starts the follow-up of a chain and returns its id.
 *
 * @param start starts it on the task queue; null if the thread's queue is unknown. @throws {ChainExistsError}
 * @throws {ChainExistsError} when another message was sent first, or the own id belongs to another chain; with the
 *   `ifExists` of `error`, also when it belongs to a chain of the thread
 */
export async function sendFollowUp(
  source: ThreadSource,
  start: (next: FollowUpStart, taskQueue: string | null) => Promise<unknown>,
  chainId: string,
  text: string,
  options: FollowUpOptions = {},
): Promise<string> {
  const { chainId: ownId, ifExists = 'join' } = options;
  checkStart({ chainId: ownId, ifExists });
  const { named, last: newest, nextId } = await readThreadEnd(source, chainId, options);
  const last = options.branch === true ? named : newest;
  // Before all other checks: the chain of a message that is sent again may still run.
  if (ownId !== undefined && (await isSent(source, last, ownId))) return joinSent(ownId, ifExists);
  const next = createFollowUpStart(last, text, options, nextId ?? undefined);
  try {
    await start(next, findTaskQueue(last));
  } catch (error) {
    if (!(error instanceof ChainExistsError)) throw error;
    if (ownId === undefined)
      throw new ChainExistsError(next.chainId, 'Another message was sent first. Wait for its end, then send again.');
    if (!(await isSent(source, last, ownId)))
      throw new ChainExistsError(ownId, `Chain ${ownId} exists and is no follow-up of this thread. Choose another id.`);
    return joinSent(ownId, ifExists);
  }
  return next.chainId;
}

function joinSent(chainId: string, ifExists: 'join' | 'error'): string {
  if (ifExists === 'join') return chainId;
  throw new ChainExistsError(chainId, `A message was sent with the id ${chainId}. Choose another id.`);
}

/** Whether a chain with this id follows another one in the thread. */
async function isSent(source: ThreadSource, last: RecordedHistory, chainId: string): Promise<boolean> {
  const read = await source.read(chainId);
  if (read.kind !== 'found') return false;
  const sent = toThreadMember(read.recorded);
  return isThreadRef(sent.input?.thread) && isInSameThread(sent, toThreadMember(last));
}

/** Returns the task queue of a chain that the server has: its worker has the agent. The archive does not have it. */
function findTaskQueue({ events }: RecordedHistory): string | null {
  return events?.[0]?.workflowExecutionStartedEventAttributes?.taskQueue?.name ?? null;
}
