/** Where an activity reads the history of the chain that it works for: through its worker's own client. */

import type { Context } from '@temporalio/activity';
import type { HistoryService, Run } from '../../history/read.js';

export interface OwnHistory {
  readonly history: HistoryService;
  readonly run: Run;
}

export function ownHistory({ client, info }: Context, onPage?: HistoryService['onPage']): OwnHistory {
  const { connection, options } = client;
  return {
    history: { service: connection.workflowService, namespace: options.namespace, ...(onPage ? { onPage } : {}) },
    run: info.workflowExecution ?? { workflowId: '', runId: '' },
  };
}
