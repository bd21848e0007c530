/** `longhand chain show --prompt`, with a chain file. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ShowPromptFlags, showPrompt } from '../../../src/cli/chain/show-prompt.js';
import { verifyChain } from '../../../src/cli/chain/verify.js';
import type { Terminal } from '../../../src/cli/terminal/terminal.js';
import { computeDigest } from '../../../src/core/lib/digest.js';
import { toCanonicalJson } from '../../../src/core/lib/json.js';
import { chainFormat, chainVersion, sealChainFile } from '../../../src/core/record/chain-file.js';
import { renderRequest } from '../../../src/core/strategies/strategies.js';
import { agentOf, answers, rawReply, readBy, use } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';
import { matchError } from '../../support/match-error.js';

const digestOf = ({ chain }: Play) => computeDigest(toCanonicalJson(renderRequest(chain, agentOf(), 'step')));

/** A chain of two steps; only the digest of the first reply is that of its request. */
function writeChain(): string {
  const play = prepared();
  play.replied({
    ...readBy(agentOf(), rawReply([use('use_1', 'look', { at: 'x' })], 'tool_use')),
    request: digestOf(play),
  });
  play.returned('1.1', 'It is\u001b[31m due.');
  play.replied(answers('Done.'));
  const turns = play.turns.map((turn) => ({ ...turn, scheduled: [] }));
  const run = { runId: 'run-1', closed: null, closedAt: null, result: null, turns, heads: [], attempts: {} };
  const base = { format: chainFormat, version: chainVersion, chainId: 'chain-1' } as const;
  const file = sealChainFile({ ...base, definition: agentOf(), runs: [run], digest: play.state.head });
  const path = join(mkdtempSync(join(tmpdir(), 'longhand-prompt-')), 'chain.json');
  writeFileSync(path, JSON.stringify(file));
  return path;
}

const file = writeChain();

async function run(command: (terminal: Terminal) => Promise<number>): Promise<string> {
  let printed = '';
  const write = (text: string) => {
    printed += text;
  };
  await command({ write, writeRaw: write, report: () => {}, color: false, width: 120, tableWidth: 120 });
  return printed;
}

const show = (flags: Partial<ShowPromptFlags>) =>
  run((terminal) => showPrompt(terminal, file, { prompt: true, ...flags }));

describe('chain show --prompt', () => {
  it('prints the request in the order in which the model reads it, with its proof', async () => {
    const printed = await show({ step: '1' });
    expect(printed).toContain('Prompt of model-1, step 1  chain-1');
    expect(printed).toContain('some-model from some-provider');
    expect(printed).toContain('As it was sent');
    const parts = ['SYSTEM\n  You are a clerk.', 'TOOLS\n  look: Does look.', 'USER\n  Find out what is due'];
    const places = parts.map((part) => printed.indexOf(part));
    expect(places.every((place, at) => place > (places[at - 1] ?? 0))).toBe(true);
  });

  it('prints calls and results without commands for the terminal, and a prompt that differs as such', async () => {
    const printed = await show({ prompt: 'model-2' });
    expect(printed).toContain('[call look use_1] at="x"');
    expect(printed).toContain('[result use_1] It is due.');
    expect(printed).toContain('Not as it was sent');
  });

  it('prints the exact request with --json', async () => {
    expect(JSON.parse(await show({ step: '1', json: true }))).toMatchObject({
      kind: 'sent',
      proof: 'proven',
      request: { toolChoice: 'auto', messages: [{ role: 'user' }] },
    });
  });

  it('needs a step or the id of a call, and the role of a developer or auditor', async () => {
    await expect(show({})).rejects.toThrow(matchError('usage', '--prompt needs --step'));
    await expect(show({ prompt: '3.1' })).rejects.toThrow(matchError('usage', 'model-4'));
    await expect(show({ prompt: 'model-9' })).rejects.toThrow(matchError('call_not_found', 'model-1 to model-2'));
    await expect(show({ step: '1', as: 'end_user' })).rejects.toThrow(matchError('not_visible'));
  });
});

describe('chain verify', () => {
  it('reports the prompts that it rebuilt as they were sent, and the calls whose prompts differ', async () => {
    const printed = await run((terminal) => verifyChain(terminal, file, {}));
    expect(printed).toContain('1 prompt rebuilt as sent');
    expect(printed).toContain('1 not rebuilt as sent, by another version of Longhand: model-2');
    const json = JSON.parse(await run((terminal) => verifyChain(terminal, file, { json: true }))) as unknown;
    expect(json).toMatchObject({ divergence: null, prompts: { proven: 1, differing: ['model-2'] } });
  });
});
