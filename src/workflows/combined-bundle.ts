/** The workflows of a bundle that also has workflows of the user: their names are unknown here. */

import { callWorkflowType, notifierWorkflowType, workflowType } from '../contract/index.js';
import * as hosted from './hosted-by-longhand.js';

for (const type of [workflowType, callWorkflowType, notifierWorkflowType]) {
  if (!(type in hosted)) continue;
  throw new Error(
    `\`workflowsPath\` exports "${type}", ${type === workflowType ? 'the workflow type of chains' : 'a workflow type of Longhand'}. Rename your workflow and restart the worker.`,
  );
}

export { agent } from './agent.js';
export { longhandCall } from './call-activity.js';
export * from './hosted-by-longhand.js';
export { longhandNotifier } from './notifier.js';
