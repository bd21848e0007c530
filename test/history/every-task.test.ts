/**
 * L1: after every workflow task, the state folded from the history is the state of the workflow. Proved on stored
 * histories; every test on the server proves it for its own chains.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silenceRuntime } from '../../src/cli/chain/debug.js';
import { foldRecordedTurns } from '../../src/core/engine/fold-turns.js';
import { emptyFold, foldEventsToTurns } from '../../src/history/fold.js';
import { converter, readStoredHistories } from '../histories/stored.js';
import { buildReportingBundle, openReplayer, type Replayer } from '../support/every-task.js';

let replayer: Replayer;
beforeAll(async () => {
  silenceRuntime();
  replayer = openReplayer({ code: await buildReportingBundle() });
});
afterAll(() => replayer.close());

describe.each(readStoredHistories())('the stored history $name', ({ events, expected }) => {
  it('folds to the state of the workflow, task by task', async () => {
    const held = await replayer.statesIn(events, expected.result.chainId);
    const { turns } = await foldEventsToTurns(emptyFold, events, converter);
    expect(turns.map(({ state }) => state)).toEqual(held);
    expect(foldRecordedTurns(turns).turns.map(({ state }) => state)).toEqual(held);
  });
});
