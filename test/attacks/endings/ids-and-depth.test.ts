/** L7: values that are too long or nested too deeply are rejected where they enter. */

import { describe, expect, it } from 'vitest';
import { isFile, resolveChainId } from '../../../src/cli/access/find-chain.js';
import { checkId, checkStart } from '../../../src/client/start/check-start.js';
import { deepInputMark } from '../../../src/core/model/model.js';
import { getStrategy } from '../../../src/core/strategies/strategies.js';
import { autonomousDefaults, toolsDefaults } from '../../../src/core/strategies/strategy.js';
import type { Longhand } from '../../../src/entries/client.js';
import type { Json } from '../../../src/index.js';
import { ReplyStream } from '../../../src/models/anthropic/stream.js';
import { agentOf, asks, someInput } from '../../support/core-builders.js';
import { ask, begunBy, delegatingAgent } from '../../support/core-delegation.js';
import { Play } from '../../support/core-play.js';
import { matchError } from '../../support/match-error.js';

const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

function replyWith(start: Json, json: string) {
  const stream = new ReplyStream();
  stream.consume({
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: 't', name: 'look', input: start },
  });
  stream.consume({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: json } });
  stream.consume({ type: 'message_stop' });
  return stream.toReply();
}

describe('arguments that are nested 5,000 levels deep', () => {
  it.each([
    ['in pieces', {}, deep(5_000)],
    ['at once', JSON.parse(deep(5_000)) as Json, ''],
  ])('are left out of the reply, and the model sees the reason (%s)', (_how, start, json) => {
    const reply = replyWith(start, json);
    expect(reply.content).toEqual([{ type: 'tool_use', id: 't', name: 'look', input: deepInputMark }]);
    for (const strategy of [toolsDefaults, autonomousDefaults]) {
      const { calls } = getStrategy(strategy).parse(reply, agentOf({ strategy }), () => null);
      expect(calls[0]?.rejected).toContain('nested more than 64 levels deep');
    }
  });

  it('are kept if they have 64 levels', () => {
    expect(replyWith({}, deep(63)).content).toEqual([expect.objectContaining({ input: JSON.parse(deep(63)) })]);
  });
});

describe('the id of a chain', () => {
  it('has at most 200 bytes if a caller sets it, because ids of sub-chains are longer', () => {
    expect(() => checkStart({ chainId: 'x'.repeat(200), ifExists: undefined })).not.toThrow();
    expect(() => checkStart({ chainId: 'x'.repeat(201), ifExists: undefined })).toThrow(
      matchError('invalid_options', '201 bytes'),
    );
    expect(() => checkId('x'.repeat(998))).not.toThrow();
  });

  it('prevents a sub-chain whose id Temporal would reject', () => {
    const play = new Play();
    play.take({ type: 'started', chainId: 'x'.repeat(998), input: someInput });
    play.take({ type: 'prepared', agent: delegatingAgent() });
    expect(begunBy(play.replied(asks(ask())))).toEqual([]);
    expect(JSON.stringify(play.entries)).toContain('the id of the sub-chain would be up to 1018 bytes');
  });

  it('is not taken for a file if it is longer than a file name', () => {
    expect(isFile('x'.repeat(256))).toBe(false);
    expect(isFile('x'.repeat(100_000))).toBe(false);
  });

  it('is rejected before a request if no chain can have it', async () => {
    await expect(resolveChainId({} as Longhand, 'x'.repeat(100_000))).rejects.toMatchObject(
      matchError('usage', '100000 bytes'),
    );
  });
});
