/** What the answers to a call are worth, by the function that the tool was defined with: user code runs in the worker. */

import { log } from '@temporalio/activity';
import type { ScoreInput } from '../../contract/activities.js';
import { failureTypes } from '../../contract/names.js';
import { defaults } from '../../core/model/defaults.js';
import type { Dependencies } from '../context/dependencies.js';
import { failure, messageOf } from '../context/failures.js';
import { inTime } from '../context/in-time.js';

export function score({ agents }: Dependencies) {
  return async ({ agent, tool, candidates }: ScoreInput): Promise<readonly (number | null)[]> => {
    const judge = agents.get(agent)?.tool(tool)?.score;
    if (judge === undefined) {
      throw failure(failureTypes.notDone, `This worker has no function that scores the answers to ${tool}.`);
    }
    return Promise.all(
      candidates.map(async (candidate) => {
        try {
          const scored = await inTime(Promise.resolve(judge(candidate)), defaults.checkMs);
          return scored !== null && Number.isFinite(scored.value) ? scored.value : null;
        } catch (error) {
          log.warn(`The score of an answer to ${tool} could not be told: ${messageOf(error)}`);
          return null;
        }
      }),
    );
  };
}
