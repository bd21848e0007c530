/** `longhand chain show --context`: what the model of a step saw, in outline, as its viewer may see it (L8). */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type ShowContextFlags, showContext } from '../../../src/cli/chain/show-context.js';
import { chainFormat, chainVersion, sealChainFile } from '../../../src/core/record/chain-file.js';
import { agentOf, answers, asks, look, replyOf, someTools, text, tool, usage } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';
import { matchError } from '../../support/match-error.js';

const secret = tool('secret', { view: { level: 'hidden' } });
const agent = agentOf({
  model: { maxTokens: 1_000, contextTokens: 6_000 },
  limits: { steps: 100, stallThreshold: 50 },
  compaction: 'model',
  tools: [...someTools, secret],
});

function takeStep(play: Play, content: string, more: object = {}): void {
  const step = play.state.steps + 1;
  const used = play.state.conversation.summary === null ? 700 * step : 1_500;
  play.replied({ ...asks(look({ step })), usage: usage(used, 20) });
  play.take({ type: 'toolReturned', call: `${step}.1`, observation: { content, clippedFrom: null, ...more } });
}

/** Steps that a model has noted, and after them results of each form. */
function writeChain(): string {
  const play = prepared(agent);
  while (play.modelCall.purpose === 'step') takeStep(play, `Page ${play.state.steps + 1}. ${'A row. '.repeat(100)}`);
  play.replied(replyOf({ content: [text('Page 1 has code K-17.\nMail ann@example.com.')] }, { usage: usage(900, 60) }));
  takeStep(play, 'A part', { clippedFrom: 5_000 });
  takeStep(play, '[… summary of 9,000 bytes by small …]\nRows.', {
    clippedFrom: 9_000,
    summarized: { model: 'small' },
  });
  play.replied({ ...asks({ tool: 'secret', input: {} }), usage: usage(1_500, 20) });
  play.returned(`${play.state.steps}.1`, 'The canary.');
  play.replied({ ...answers('Done.'), usage: usage(2_345, 20) });
  const turns = play.turns.map((turn) => ({ ...turn, scheduled: [] }));
  const run = { runId: 'run-1', closed: null, closedAt: null, result: null, turns, heads: [], attempts: {} };
  const base = { format: chainFormat, version: chainVersion, chainId: 'chain-1' } as const;
  const file = sealChainFile({ ...base, definition: agent, runs: [run], digest: play.state.head });
  const path = join(mkdtempSync(join(tmpdir(), 'longhand-context-')), 'chain.json');
  writeFileSync(path, JSON.stringify(file));
  return path;
}

const file = writeChain();

async function show(flags: ShowContextFlags = {}): Promise<string> {
  let printed = '';
  const write = (text: string) => {
    printed += text;
  };
  const terminal = { write, writeRaw: write, report: () => {}, color: false, width: 120, tableWidth: 120 };
  await showContext(terminal, file, flags);
  return printed;
}

it('prints the notes that replace the oldest steps, and how much of each result the model saw', async () => {
  expect((await show({ as: 'developer' })).replace(/[\d,]+(?= bytes(, whole)?\n)/g, 'N')).toMatchInlineSnapshot(`
    "Context of model-10, step 10 of chain-1
    some-model · window 6,000 tokens, summarized from 4,800 · 2,345 tokens in, at most 1,627 reserved · N bytes
    Steps 1 to 4: notes of aside-1
      Page 1 has code K-17.
      Mail [redacted:email].
    Result 5.1 of look: N bytes, whole
    Result 6.1 of look: N bytes, whole
    Result 7.1 of look: 6 of 5,000 bytes, clipped
    Result 8.1 of look: 47 of 9,000 bytes, summarized by small
    Result 9.1 of secret: N bytes, whole
    "
  `);
});

it('a viewer sees no notes without thoughts, and no size of a result that is hidden', async () => {
  const seen = JSON.parse(await show({ as: 'end_user', json: true }));
  expect(seen).toMatchObject({ summary: { steps: 4, notes: { steps: 4, call: 'aside-1' } }, notes: null });
  expect(seen.results.at(-1)).toEqual({ id: '9.1', tool: null });
  expect(JSON.stringify(seen)).not.toContain('K-17');
});

it('is that of the step that is named', async () => {
  expect(await show({ step: '1', as: 'developer' })).toContain('Context of model-1, step 1 of chain-1');
  await expect(show({ step: '99' })).rejects.toThrow(matchError('call_not_found', 'no step 99'));
  await expect(show({ prompt: true })).rejects.toThrow(matchError('usage', '--context and --prompt'));
});
