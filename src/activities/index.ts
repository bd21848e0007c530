/** The activities of a worker. What is not Longhand's own is a tool, found by agent and name from the input. */

import { activityNames } from '../contract/names.js';
import { archiveActivity } from './archive-run.js';
import { callModel } from './call-model.js';
import type { Dependencies } from './dependencies.js';
import { prepareAgent } from './prepare-agent.js';
import { readChild } from './read-child.js';
import { runTool } from './run-tool.js';
import { score } from './score.js';

export function createActivities(dependencies: Dependencies) {
  return {
    [activityNames.prepareAgent]: prepareAgent(dependencies),
    [activityNames.callModel]: callModel(dependencies),
    [activityNames.readChild]: readChild(dependencies),
    [activityNames.score]: score(dependencies),
    [activityNames.archive]: archiveActivity(dependencies),
    default: runTool(dependencies),
  };
}
