/** The activities of a worker. Any other activity type is a tool, found by the input's agent and its name. */

import { activityNames } from '../contract/index.js';
import { createArchiveActivity } from './archive/archive-run.js';
import { readChild, readResult, scoreAnswers } from './child/sub-chains.js';
import type { Dependencies } from './context/dependencies.js';
import { callModel } from './model/call-model.js';
import { prepareAgent } from './model/prepare-agent.js';
import { deliverWebhook, listEventWebhooks } from './notify/deliver-webhook.js';
import { guardOwnActivities } from './tool/own-activities.js';
import { runTool } from './tool/run-tool.js';

/** @param own the activities of the user's own workflows, by name */
export function createActivities(dependencies: Dependencies, own: Readonly<Record<string, unknown>> = {}) {
  const runCall = runTool(dependencies);
  return {
    ...guardOwnActivities(own, runCall),
    [activityNames.prepareAgent]: prepareAgent(dependencies),
    [activityNames.callModel]: callModel(dependencies),
    [activityNames.readChild]: readChild(dependencies),
    [activityNames.readResult]: readResult(dependencies),
    [activityNames.score]: scoreAnswers(dependencies),
    [activityNames.archive]: createArchiveActivity(dependencies),
    [activityNames.listWebhooks]: listEventWebhooks(dependencies),
    [activityNames.deliverWebhook]: deliverWebhook(dependencies),
    default: runCall,
  };
}
