/** A client that lists and describes chains without their keys. */

import { type Client, type ConnectionLike, WorkflowClient } from '@temporalio/client';
import { opaqueMemoConverter } from '../../contract/index.js';

interface ClientTarget {
  readonly connection: ConnectionLike;
  readonly options: Pick<Client['options'], 'namespace'>;
}

/** Creates a client for `list` and `describe` that needs no keys: memos are read as null. */
export function createMetadataClient({ connection, options: { namespace } }: ClientTarget): WorkflowClient {
  return new WorkflowClient({ connection, namespace, dataConverter: opaqueMemoConverter });
}
