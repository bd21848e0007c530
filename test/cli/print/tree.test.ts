/** The tree of every stored chain fits the terminal and marks the point of failure once. */

import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatChainTree } from '../../../src/cli/print/tree.js';
import { measureColumns } from '../../../src/cli/terminal/text.js';
import { truncateAtStep } from '../../../src/client/read/chain-part.js';
import { foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import { toValueText } from '../../../src/core/lib/json.js';
import type { Fact } from '../../../src/core/model/fact.js';
import { toReasoning } from '../../../src/core/view/build-reasoning.js';
import { findFailurePoint } from '../../../src/core/view/print/failure-point.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import { modelFailure } from '../../support/core-builders.js';
import { storedChain, storedView } from '../../support/stored-chain.js';

const names = readdirSync(new URL('../../histories/releases/next/chains/', import.meta.url))
  .filter((file) => file.endsWith('.history.json'))
  .map((file) => file.replace('.history.json', ''));
const everything = { range: {}, kinds: null, since: null, search: null, last: null };

async function tree(name: string, width: number, role = 'developer'): Promise<string> {
  const page = { color: false, width, now: 0, named: name };
  return formatChainTree(await storedChain(name), await storedView(name, role), everything, page);
}

describe.each(names)('%s', (name) => {
  it.each([80, 120])('fits %d columns', async (width) => {
    for (const line of (await tree(name, width)).split('\n')) {
      // The failure mark follows the line and is not cut.
      expect(measureColumns(line.replace(/ {2}◀ .*/, ''))).toBeLessThanOrEqual(width);
    }
  });

  it('shows every step, and marks the failure of a chain that has one', async () => {
    const { outcome, steps } = await storedView(name);
    const text = await tree(name, 100);
    for (const { number } of steps) expect(text).toMatch(number === 0 ? /Before the first step/ : `Step ${number}`);
    const good = outcome === 'success' || outcome === 'custom';
    expect(text.match(/◀/g)?.length ?? 0).toBe(good || steps.length === 0 ? 0 : 1);
  });

  it('L8: shows an end user no thought, argument or result', async () => {
    const whole = await storedView(name);
    const text = await tree(name, 10_000, 'end_user');
    const answer = toValueText(whole.answer);
    for (const step of whole.steps) {
      if (step.level !== 'full') continue;
      if (step.kind === 'tool_call') expect(text).not.toContain(JSON.stringify(step.input).slice(1, -1));
      // The answer may repeat a thought.
      if (step.kind !== 'thinking' || step.thought === null || answer.includes(step.thought.slice(0, 40))) continue;
      expect(text).not.toContain(step.thought.slice(0, 40));
    }
  });
});

it.each([
  ['unknown-outcome', { id: '1.2r', words: 'failed here' }],
  ['cancel-in-model-call', { words: 'cancelled here' }],
  ['limit-with-closing', { words: 'stopped here' }],
  ['parallel-tools', null],
])('the point of failure of %s is found', async (name, point) => {
  const found = findFailurePoint(toReasoning(await storedChain(name)));
  if (point === null) expect(found).toBeNull();
  else expect(found).toMatchObject(point);
});

it('marks the model call without a reply, not the successful call before it', async () => {
  const whole = await storedChain('parallel-tools');
  const before = truncateAtStep(whole, 1);
  const { now, history } = before.chain.state;
  const failed: Fact = { type: 'modelFailed', at: now + 1, call: 'model-2', failure: modelFailure('bad_request') };
  const { chain, turns } = foldRecordedTurns([...before.turns, { eventId: 99, history, facts: [failed] }]);
  const recorded = { ...before, chain, turns, closed: 'completed' as const, closedAt: now + 1 };
  const seen = view(toReasoning(recorded), createViewer('developer'), {});
  expect(seen).toMatchObject({ outcome: 'failure', reason: expect.stringContaining('The model could not be called') });
  const text = formatChainTree(recorded, seen, everything, { color: false, width: 100, now: 0, named: 'x' });
  expect(text.match(/^.*◀.*$/gm)).toEqual(['└─ The model was called for step 2.  ◀ failed here']);
});

it('call 1.10 is not confused with call 1.1', async () => {
  const reasoning = toReasoning(await storedChain('unknown-outcome'));
  const steps = reasoning.steps.map((step) =>
    step.kind === 'tool_result' ? { ...step, status: 'ok' as const } : step,
  );
  const point = (reason: string) => findFailurePoint({ ...reasoning, steps, reason });
  expect(point('call 1.1 broke')).toMatchObject({ id: '1.1r' });
  expect(point('call 1.10 broke')).not.toMatchObject({ id: '1.1r' });
});
