/** The runs of a workflow id that the server still has, whichever chain they are of. */

import type { WorkflowService } from '@temporalio/client';

export type RunIdService = Pick<WorkflowService, 'listWorkflowExecutions' | 'describeWorkflowExecution'>;

interface Namespaced {
  readonly service: RunIdService;
  readonly namespace: string;
}

/** The id of the latest run. Never lags behind. @throws what the server answers */
export async function latestRunId({ service, namespace }: Namespaced, workflowId: string): Promise<string> {
  const described = await service.describeWorkflowExecution({ namespace, execution: { workflowId } });
  return described.workflowExecutionInfo?.execution?.runId ?? '';
}

/** The ids of all runs, as the server's list has them. It may lag behind. @throws what the server answers */
export async function runIds({ service, namespace }: Namespaced, workflowId: string): Promise<readonly string[]> {
  const query = `WorkflowId = '${workflowId.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const ids: string[] = [];
  let nextPageToken: Uint8Array | null = null;
  do {
    const page: Awaited<ReturnType<RunIdService['listWorkflowExecutions']>> = await service.listWorkflowExecutions({
      namespace,
      query,
      pageSize: 200,
      ...(nextPageToken ? { nextPageToken } : {}),
    });
    ids.push(...page.executions.map(({ execution }) => execution?.runId ?? ''));
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : null;
  } while (nextPageToken !== null);
  return ids;
}
