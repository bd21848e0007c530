/** What the chain that an activity works for holds now, for what is asked before a tool is run. */

import type { Context } from '@temporalio/activity';
import { failureTypes } from '../../contract/names.js';
import type { State } from '../../core/model/state.js';
import type { Dependencies } from './dependencies.js';
import { failure, messageOf } from './failures.js';
import { ownHistory } from './own-history.js';

/**
 * @param problem what then could not be found out
 * @throws NotDone where the history cannot be read
 */
export async function ownState(folds: Dependencies['folds'], context: Context, problem: string): Promise<State> {
  const { history, run } = ownHistory(context);
  try {
    return (await folds.latest(history, run)).state;
  } catch (error) {
    throw failure(failureTypes.notDone, `${problem}; it was not run. ${messageOf(error)}`);
  }
}
