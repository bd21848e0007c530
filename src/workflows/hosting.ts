/** The workflows of a bundle that also has workflows of the user: their names are unknown here. */

import { workflowType } from '../contract/names.js';
import * as hosted from './hosted-by-longhand.js';

if (workflowType in hosted) {
  throw new Error(
    `\`workflowsPath\` exports "${workflowType}", the workflow type of chains. Rename your workflow and restart the worker.`,
  );
}

export { agent } from './agent.js';
export * from './hosted-by-longhand.js';
