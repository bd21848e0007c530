/** Limits are shown exactly, not rounded, so that readers can compare them; what others wrote is masked. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { explainChain } from '../../../src/cli/chain/explain.js';
import { toChainFile } from '../../../src/client/read/recorded-chain.js';
import { foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import { formatUsd } from '../../../src/core/lib/display.js';
import { sealChainFile } from '../../../src/core/record/chain-file.js';
import type { Limits } from '../../../src/index.js';
import { agentOf, answers, modelFailure, usage } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';
import { printed } from '../../support/printed.js';
import { formatStopText } from '../../support/stop-text.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-explain-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function explained({ turns }: Play): Promise<string> {
  const run = { runId: 'run-1', closed: null, closedAt: null, result: null, heads: [], attempts: {} };
  const filed = turns.map((turn) => ({ ...turn, scheduled: [] }));
  const file = toChainFile({
    ...{ chainId: 'chain-1', ...foldRecordedTurns(turns), events: null, ...run, attempts: new Map() },
    runs: [{ ...run, turns: filed }],
  });
  const path = join(folder, 'chain.json');
  writeFileSync(path, JSON.stringify(sealChainFile(file)));
  return (await printed((terminal) => explainChain(terminal, path, {}))).out;
}

const prepareWithLimits = (limits: Partial<Limits>) => prepared(agentOf({ limits }));

it.each([
  [{ costUsd: 1.0055 }, /^cost +\$0 +\$1\.0055 /m],
  [{ timeMs: 61_000 }, /^time .* 61 s /m],
  [{ timeMs: 90_000 }, /^time .* 1\.5 min /m],
  [{ timeMs: 3_600_123 }, /^time .* 3600\.123 s /m],
  [{ timeMs: 7 * 86_400_000 }, /^time .* 7 days /m],
  [{ timeMs: 60 * 3_600_000 }, /^time .* 3600 min /m],
  [{ waitMs: 7 * 86_400_000 }, /^waits +0 s +7 days /m],
])('limits are exact: %j', async (limits, line) => {
  expect(await explained(prepareWithLimits(limits))).toMatch(line);
});

it('what is spent is rounded as in every other command', async () => {
  const play = prepareWithLimits({ costUsd: 1 });
  play.replied({ ...answers('Done.'), usage: usage(1_234, 77) });
  const { usd } = play.chain.state.charged;
  expect(`$${usd}`).not.toBe(formatUsd(usd));
  expect(await explained(play)).toMatch(new RegExp(`^cost +\\${formatUsd(usd)} +\\$1\\.00 `, 'm'));
});

it('the reservation of a call is exact', async () => {
  const play = prepareWithLimits({ costUsd: 1.0055 });
  const { usd } = play.modelCall.reservation;
  expect(await explained(play)).toContain(`or $${usd} for this call.`);
});

it('the time limit is exact in the stop reason', async () => {
  const play = prepareWithLimits({ timeMs: 61_000 });
  play.after(61_000).fired('deadline');
  expect(formatStopText(play.state)).toBe('Time limit (61 s) reached during a model call.');
});

it('L8: the message of a provider whose calls fail is masked', async () => {
  const play = prepared();
  play.failed(
    modelFailure('authentication', { message: 'Unknown key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789 of ann' }),
  );
  const text = await explained(play);
  expect(text).toContain('Attempt 1 failed: Unknown key');
  expect(text).toContain('Once it is repaired: longhand resume chain-1');
  expect(text).not.toContain('abcdefghijklmnop');
});

it('the findings of an answer and the criteria of its decision are listed', async () => {
  const play = prepared();
  const findings = [{ statement: 'The debt is too high.', reason: 'DTI 0.43 is above 0.36.', sources: ['bureau'] }];
  play.replied(answers({ answer: 'Rejected.', findings, decision: { criteria: ['DTI > 0.36'] } }));
  const text = await explained(play);
  expect(text).toContain('- Finding: The debt is too high. Why: DTI 0.43 is above 0.36. (bureau)');
  expect(text).toContain('- Criterion: DTI > 0.36');
});
