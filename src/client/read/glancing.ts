/** A client that lists and describes workflows, whatever their memos are written with. */

import { type Client, type ConnectionLike, WorkflowClient } from '@temporalio/client';
import { unreadMemos } from '../../contract/payloads.js';
import { isAway } from '../errors/away.js';

interface Place {
  readonly connection: ConnectionLike;
  readonly options: Pick<Client['options'], 'namespace'>;
}

/** For `list` and `describe` alone: what memos hold is null. */
export function glancing({ connection, options: { namespace } }: Place): WorkflowClient {
  return new WorkflowClient({ connection, namespace, dataConverter: unreadMemos });
}

/**
 * Why one of many chains cannot be read, which keeps nobody from the others: its keys are not here, or it is damaged. Null
 * for what the server answers, or does not: that concerns them all.
 */
export function whyUnreadable(error: unknown): string | null {
  return isAway(error) || !(error instanceof Error) || 'code' in error ? null : error.message;
}
