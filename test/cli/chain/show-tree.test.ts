/** What `chain show` prints beside the steps: the workflow behind `runAgent`, and failed attempts. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { showChain } from '../../../src/cli/chain/show.js';
import { formatChainTree } from '../../../src/cli/print/tree.js';
import { foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import { toReasoning } from '../../../src/core/view/build-reasoning.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import type { RecordedChain } from '../../../src/entries/view.js';
import { recorded } from '../../histories/stored.js';
import { answers, modelFailure } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';
import { printed } from '../../support/printed.js';

interface History {
  readonly events: { workflowExecutionStartedEventAttributes?: object }[];
}

it('names the workflow that runs the chain, and none for a chain without one', async () => {
  const stored = new URL('parallel-tools.history.json', recorded).pathname;
  const history = JSON.parse(readFileSync(stored, 'utf8')) as History;
  const parentWorkflowExecution = { workflowId: 'settle-invoice-7', runId: 'run-1' };
  Object.assign(history.events[0]?.workflowExecutionStartedEventAttributes ?? {}, { parentWorkflowExecution });
  const file = join(tmpdir(), `longhand-show-${process.pid}.json`);
  writeFileSync(file, JSON.stringify(history));
  const show = async (path: string, json = false) =>
    (await printed((terminal) => showChain(terminal, path, { json }))).out;
  expect(await show(file)).toContain('\nstarted by the workflow settle-invoice-7\n');
  expect(JSON.parse(await show(file, true))).toMatchObject({ startedBy: 'settle-invoice-7' });
  expect(await show(stored)).not.toContain('started by');
  rmSync(file);
});

function tree({ turns, at }: Play): string {
  const beside = { runId: 'run-1', heads: [], attempts: new Map(), runs: [], events: null };
  const chain: RecordedChain = {
    chainId: 'chain-1',
    ...foldRecordedTurns(turns),
    ...beside,
    closed: null,
    closedAt: null,
  };
  const filter = { range: {}, kinds: null, since: null, search: null, last: null };
  const page = { color: false, width: 100, now: at, named: 'chain-1' };
  return formatChainTree(chain, view(toReasoning(chain), createViewer('developer')), filter, page);
}

it('prints the last of several attempts that failed alike', () => {
  const play = prepared();
  for (const kind of ['overloaded', 'overloaded', 'overloaded', 'server_error', 'overloaded'] as const) {
    play.failed(modelFailure(kind));
    play.after(60_000).fired('retry');
  }
  play.replied(answers('Done.'));
  const attempts = [...tree(play).matchAll(/Attempt (\d)/g)].map(([, number]) => Number(number));
  expect(attempts).toEqual([3, 4, 5]);
});
