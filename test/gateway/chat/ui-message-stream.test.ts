/** Chunks of the UI message stream: each passes the AI SDK's schema, and folds to what its clients make of them. */

import * as sdk6 from 'ai';
import * as sdk7 from 'ai-7';
import { describe, expect, it } from 'vitest';
import type { ReasoningView } from '../../../src/core/view/reasoning-view.js';
import type { ChatPart } from '../../../src/gateway/chat/chat-part.js';
import type { UiMessageChunk } from '../../../src/gateway/chat/ui-message-chunk.js';
import { foldChunks } from '../../../src/gateway/chat/ui-message-fold.js';
import { type SdkVersion, UiEncoder } from '../../../src/gateway/chat/ui-message-stream.js';

const chainId = `chat-${'a'.repeat(40)}`;
const digest = 'abcdef1234567890';

const question = { text: 'Which day?', options: ['Friday'], schema: null };
const request = {
  tool: 'look',
  input: { place: 'Paris' },
  digest,
  reason: 'Why',
  risk: 'low',
  expiresAt: null,
} as const;
const view = (outcome: string, reason: string | null = null) =>
  ({ type: 'ended', view: { chainId, outcome, reason, tokens: 5, costUsd: 0.1 } as unknown as ReasoningView }) as const;
const call = { type: 'call', call: '1.1', tool: 'look', input: { place: 'Paris' }, line: 'look Paris' } as const;
const result = { type: 'result', call: '1.1', status: 'ok', denied: false, observation: { celsius: 21 } } as const;
const plan = { tasks: [], revision: 1, source: 'model', level: 'full', percent: 0 } as const;

/** Streams of parts as they occur. */
const streams: { readonly [name: string]: readonly ChatPart[] } = {
  answer: [
    { type: 'cost', cost: { tokens: 3, costUsd: null } },
    { type: 'step-started', step: 1 },
    { type: 'thought', id: '1', text: 'Hm.' },
    call,
    { type: 'interim', call: '1.1', value: 'half' },
    result,
    { type: 'notice', id: '1n1', code: 'held', text: 'Held.' },
    { type: 'plan', plan },
    { type: 'step-finished', step: 1 },
    { type: 'step-started', step: 2 },
    { type: 'draft-started', id: '2:m', raw: false },
    { type: 'draft-added', id: '2:m', text: 'Fi' },
    { type: 'draft-confirmed', id: '2:m', as: 'answer', text: 'Fine.', rest: 'ne.' },
    { type: 'step-finished', step: 2 },
    view('success'),
  ],
  approval: [
    { type: 'step-started', step: 1 },
    call,
    { type: 'requested', request: { ...request, call: '1.1', kind: 'approval', question: null } },
    { type: 'suspended', cost: { tokens: 1, costUsd: 0 }, requests: [] },
  ],
  approved: [
    { type: 'step-started', step: 1 },
    call,
    { type: 'decided', call: '1.1', digest, approved: true, reason: null },
    result,
    view('success'),
  ],
  denied: [
    { type: 'step-started', step: 1 },
    call,
    { type: 'decided', call: '1.1', digest: null, approved: false, reason: 'No.' },
    { ...result, status: 'denied', denied: true },
    view('cancelled'),
  ],
  question: [
    { type: 'step-started', step: 1 },
    call,
    { type: 'requested', request: { ...request, call: '1.1', kind: 'question', question } },
    { type: 'suspended', cost: { tokens: 1, costUsd: 0 }, requests: [] },
  ],
  drafts: [
    { type: 'step-started', step: 1 },
    { type: 'notice', id: '0n1', code: 'message', text: 'ana: Faster.' },
    { type: 'draft-started', id: '1:m', raw: false },
    { type: 'draft-added', id: '1:m', text: 'Wrong' },
    { type: 'draft-discarded', id: '1:m' },
    { type: 'draft-started', id: '1:n', raw: true },
    { type: 'draft-added', id: '1:n', text: 'Thought: ' },
    { type: 'draft-discarded', id: '1:n' },
    { type: 'draft-started', id: '1:o', raw: false },
    { type: 'draft-added', id: '1:o', text: 'I look.' },
    { type: 'draft-confirmed', id: '1:o', as: 'thought', text: 'I look.', rest: '' },
    call,
    { ...result, status: 'error', observation: 'Broken.' },
    view('max_iterations', 'Too many steps.'),
  ],
};

function encode(parts: readonly ChatPart[], version: SdkVersion = 7): readonly UiMessageChunk[] {
  const stream = new UiEncoder(chainId, version);
  return [...stream.start(), ...parts.flatMap((part) => stream.encode(part))];
}

interface FoldedMessage {
  readonly id: string;
  readonly parts: readonly { readonly type: string }[];
}

interface Sdk {
  readonly schema: () => unknown;
  readonly read: (options: { readonly stream: ReadableStream }) => AsyncIterable<FoldedMessage>;
}

/** What each version of the AI SDK reads a stream with. */
const sdks: { readonly [version in SdkVersion]: Sdk } = {
  6: { schema: sdk6.uiMessageChunkSchema, read: sdk6.readUIMessageStream },
  7: { schema: sdk7.uiMessageChunkSchema, read: sdk7.readUIMessageStream },
};

/** Folds chunks as the AI SDK does. */
async function foldBySdk(version: SdkVersion, chunks: readonly UiMessageChunk[]): Promise<FoldedMessage | undefined> {
  const stream = new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  let message: FoldedMessage | undefined;
  for await (const each of sdks[version].read({ stream })) message = each;
  return message;
}

/** Version 6 keeps no reason of a request. */
const toPlain = (value: unknown, version: SdkVersion): unknown =>
  JSON.parse(JSON.stringify(value, (key, member) => (version === 6 && key === 'requestReason' ? undefined : member)));

const versions = [6, 7] as const;
const cases = versions.flatMap((version) => Object.entries(streams).map(([name, parts]) => ({ version, name, parts })));

describe.each(cases)('the stream of $name for version $version', ({ version, parts }) => {
  it('has only chunks that the schema of the AI SDK accepts', async () => {
    const schema = sdks[version].schema() as unknown as { readonly validate: (value: unknown) => unknown };
    for (const chunk of encode(parts, version)) expect(await schema.validate(chunk)).toMatchObject({ success: true });
  });

  it('folds to the parts that a client has', async () => {
    // Loaded messages have no interim results.
    const chunks = encode(
      parts.filter(({ type }) => type !== 'interim'),
      version,
    );
    const message = await foldBySdk(version, chunks);
    expect(toPlain(foldChunks(chunks), version)).toEqual(toPlain(message?.parts, version));
    expect(message?.id).toBe(chainId);
  });
});

it('the default stream, that of version 6, is read by version 7', async () => {
  for (const parts of Object.values(streams)) {
    const schema = sdks[7].schema() as unknown as { readonly validate: (value: unknown) => unknown };
    for (const chunk of encode(parts, 6)) expect(await schema.validate(chunk)).toMatchObject({ success: true });
  }
});

it('in version 6, a call that someone approved runs, until its result', async () => {
  const { approval = [], approved = [] } = streams;
  const decided = [...approval.slice(0, -1), ...approved.filter(({ type }) => type === 'decided')];
  const message = await foldBySdk(6, encode(decided, 6));
  expect(message?.parts.at(-1)).toMatchObject({ type: 'dynamic-tool', state: 'input-available' });
});

it('a chain without an answer ends with an empty step, so that no client sends its last answers again', () => {
  for (const outcome of ['cancelled', 'failure', 'stalled', 'token_budget', 'terminated']) {
    const types = encode([{ type: 'step-started', step: 1 }, call, result, view(outcome, 'Why.')]).map(
      ({ type }) => type,
    );
    const end = types.slice(types.lastIndexOf('start-step'));
    expect(end.some((type) => type.startsWith('tool'))).toBe(false);
  }
});

it('a failure is an error after the metadata', () => {
  expect(encode([view('failure', 'The model failed.')]).slice(-3)).toMatchObject([
    { type: 'message-metadata', messageMetadata: { outcome: 'failure' } },
    { type: 'error', errorText: 'The model failed.' },
    { type: 'finish', finishReason: 'error' },
  ]);
});
