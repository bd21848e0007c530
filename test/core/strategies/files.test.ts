/** Files in requests: blocks where the model reads them, else lines; and their part of the reservation (L6). */

import { describe, expect, it } from 'vitest';
import { countFileTokens } from '../../../src/core/model/file.js';
import { renderRequest } from '../../../src/core/strategies/strategies.js';
import { reactDefaults, toolsDefaults } from '../../../src/core/strategies/strategy.js';
import type { FileBlock, ModelRequest } from '../../../src/entries/client.js';
import type { StoredFile } from '../../../src/index.js';
import { messagesFiles } from '../../../src/models/wire/call-content.js';
import { agentOf, answers, asks, look, someInput } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';

const image = (number: number, bytes = 1_000): StoredFile => ({
  name: `page-${number}.png`,
  mediaType: 'image/png',
  bytes,
  pixels: { width: 800, height: 600 },
  digest: `sha256:${String(number).padStart(64, '0')}`,
});
const archive: StoredFile = { ...image(0), name: 'all.zip', mediaType: 'application/zip' };

const reading = agentOf({ model: { files: messagesFiles } });
const withFiles = { ...someInput, files: [image(1), archive] };

function render({ chain }: Play): ModelRequest {
  const { agent } = chain.state;
  if (agent === null) throw new Error('The chain is not prepared.');
  return renderRequest(chain, agent, 'step');
}

function listBlocks({ messages }: ModelRequest): readonly string[] {
  const blocks = messages.flatMap(({ content }) =>
    content.flatMap((block): readonly FileBlock[] => {
      if (block.type === 'file') return [block];
      return block.type === 'tool_result' ? (block.files ?? []) : [];
    }),
  );
  return blocks.map(({ file }) => file.name);
}

function returnFiles(play: Play, call: string, files: readonly StoredFile[], content = 'A page.'): void {
  play.take({ type: 'toolReturned', call, observation: { content, clippedFrom: null, files } });
}

describe.each([toolsDefaults, reactDefaults])('with the strategy $name', (strategy) => {
  const agent = { ...reading, strategy };

  it('the files of a task and of a result are blocks, each once; a file that the model cannot read is a line', () => {
    const play = prepared(agent, withFiles);
    play.replied(asks(look()));
    returnFiles(play, '1.1', [image(2), archive]);
    const request = render(play);
    expect(listBlocks(request)).toEqual(['page-1.png', 'page-2.png']);
    expect(JSON.stringify(request.messages[0])).toContain(
      'File: all.zip (application/zip, 1.0 KB, 800 × 600). Its content is not shown to you.',
    );
  });

  it('a model that reads no files gets a line for each', () => {
    const request = render(prepared({ ...agentOf(), strategy }, withFiles));
    expect(listBlocks(request)).toEqual([]);
    expect(JSON.stringify(request)).toContain('File: page-1.png (image/png, 1.0 KB, 800 × 600). Its content is not');
  });
});

it('a request has at most 20 files: those of the task, and the newest of results, which leave in groups', () => {
  const agent = { ...reading, limits: { ...reading.limits, steps: 50 } };
  const play = prepared(agent, { ...someInput, files: [image(1)] });
  const shown: (readonly string[])[] = [];
  for (let step = 1; step <= 30; step++) {
    play.replied(asks(look({ step })));
    returnFiles(play, `${step}.1`, [image(100 + step)], `Page ${step}`);
    shown.push(listBlocks(render(play)));
  }
  expect(Math.max(...shown.map(({ length }) => length))).toBe(20);
  for (const names of shown) expect(names[0]).toBe('page-1.png');
  expect(shown.map((names) => names.at(-1))).toEqual(shown.map((_, index) => `page-${101 + index}.png`));
  const changes = shown.filter((names, index) => index > 0 && names[1] !== shown[index - 1]?.[1]);
  expect(changes).toHaveLength(2);
});

it('the bytes of a request are limited: the newest files come first', () => {
  const play = prepared(reading);
  play.replied(asks(look({ a: 1 }), look({ a: 2 })));
  returnFiles(
    play,
    '1.1',
    Array.from({ length: 6 }, (_, index) => image(index + 1, 3_800_000)),
  );
  returnFiles(play, '1.2', [image(9, 3_800_000)]);
  expect(listBlocks(render(play))).toEqual(['page-3.png', 'page-4.png', 'page-5.png', 'page-6.png', 'page-9.png']);
});

it('L6: a reservation bounds the files of the task and of results, and only those that the model gets', () => {
  const tokens = countFileTokens([image(1)], messagesFiles);
  expect(tokens).toBeGreaterThan(640);
  const difference = (agent = reading) => {
    const [plain, full] = [prepared(agent), prepared(agent, withFiles)];
    return full.modelCall.reservation.inputTokens - plain.modelCall.reservation.inputTokens;
  };
  expect(difference() - difference(agentOf())).toBe(tokens);
  expect(difference()).toBeGreaterThan(tokens);

  const after = (files: readonly StoredFile[]) => {
    const play = prepared(reading);
    play.replied(asks(look()));
    returnFiles(play, '1.1', files);
    return play.modelCall.reservation.inputTokens;
  };
  expect(after([image(1), image(2), archive]) - after([])).toBe(2 * tokens);
});

it('a chain does not call the model for a PDF that its budget cannot pay for', () => {
  const terms: StoredFile = { ...image(3), name: 'terms.pdf', mediaType: 'application/pdf', pages: 100 };
  const { pixels: _, ...pdf } = terms;
  const agent = { ...reading, limits: { ...reading.limits, tokens: 300_000 } };
  const play = prepared(agent, { ...someInput, files: [pdf] });
  expect(play.modelCalls).toEqual([]);
  expect(play.result.outcome).toBe('token_budget');
});

it('equal descriptions of different files are news: a chain that looks at pictures does not stall', () => {
  const lookTwice = (second: StoredFile) => {
    const play = prepared(reading);
    for (const file of [image(1), second]) {
      play.replied(asks({ tool: 'save' }));
      returnFiles(play, `${play.state.steps}.1`, [file], 'page.png (image/png, 1.0 KB)');
    }
    return play.state.stall.steps;
  };
  expect(lookTwice(image(1))).toBe(1);
  expect(lookTwice(image(2))).toBe(0);
});

it('a call whose result has a file is run again: an earlier result would have none in the request', () => {
  const play = prepared(reading);
  play.replied(asks(look({ a: 1 })));
  returnFiles(play, '1.1', [image(1)]);
  play.replied(asks(look({ a: 1 })));
  expect(play.ran).toEqual(['1.1', '2.1']);
  returnFiles(play, '2.1', [image(1)]);
  play.replied(answers('Done.'));
  expect(play.result.outcome).toBe('success');
});

it('an invalid list of files ends the chain at its start', () => {
  const files = [{ ...image(1), digest: 'none' }];
  const play = prepared(reading, { ...someInput, files });
  expect(play.state.stop).toMatchObject({ outcome: 'failure', reason: { code: 'invalid_start', member: 'files' } });
});
