/** The telemetry of a chain: what a collector receives, and what it never receives; telemetry does not change a chain. */

import { randomUUID } from 'node:crypto';
import { Runtime } from '@temporalio/worker';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { toTraceHeaders } from '../../../src/contract/tracing.js';
import { countInputTokens } from '../../../src/core/model/usage.js';
import { connect } from '../../../src/entries/client.js';
import { llmTool } from '../../../src/entries/tools.js';
import type { HistoryEvent } from '../../../src/history/event.js';
import { defineAgent, defineTool, ToolError } from '../../../src/index.js';
import { readStoredHistories } from '../../histories/stored.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { editor, replyAsFamily, waitForPublisher } from '../../support/family.js';
import { startMessagesServer } from '../../support/messages-server.js';
import { createEnvironmentConverter } from '../../support/opened.js';
import { type RecordedRun, replayRuns } from '../../support/replays.js';
import { loopBlocks } from '../../support/runtime.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress, getWorkflowBundlePath } from '../../support/temporal.js';
import { loadedModules } from '../../telemetry/loaded-modules.js';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../../telemetry/otlp-receiver.js';

const vault = defineTool({
  name: 'open_vault',
  description: 'Opens a vault',
  inputSchema: z.object({ code: z.string() }),
  effects: 'read',
  view: { sensitive: ['serial'] },
  execute: ({ code }) => {
    if (code === 'wrong') throw new ToolError('The secret is not: wrong-hunter2');
    return { inside: 'result-hunter2', serial: 87302956 };
  },
});

const agent = defineAgent({
  name: 'keeper',
  version: '1.4.0',
  model: 'claude-sonnet-5-5',
  instructions: 'Never write instructions-hunter2',
  strategy: 'tools',
  tools: [vault],
});

const replyWithOpen = (...codes: readonly string[]): ScriptedReply => ({
  text: 'I open it, thought-hunter2.',
  calls: codes.map((code) => ({ name: 'open_vault', input: { code } })),
});
const done: ScriptedReply = { text: 'It is open, answer-hunter2.' };
const task = 'Open the vault of task-hunter2';

const content = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';
let receiver: OtlpReceiver;
let seen = 0;

/** The spans that were received since the test began. */
const listSpans = () => receiver.spans().slice(seen);
const findSpans = (name: string) => listSpans().filter((span) => span.name.startsWith(name));

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  Object.assign(process.env, {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=letmein',
    OTEL_SERVICE_NAME: 'vaults',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
  });
});
beforeEach(() => {
  seen = receiver.spans().length;
  delete process.env[content];
});
afterAll(() => receiver.close());

/** Runs a chain, and returns its result after all telemetry was sent. */
async function playChain(replies: readonly ScriptedReply[], options: Partial<Parameters<typeof withWorker>[0]> = {}) {
  return withWorker({ agents: [agent], replies, ...options }, async ({ longhand }) => {
    const chain = await longhand.start(agent, task);
    return chain.result();
  });
}

function listAncestors(span: ReceivedSpan): readonly string[] {
  const parent = listSpans().find(({ spanId }) => spanId === span.parentSpanId);
  return parent === undefined ? [] : [parent.name, ...listAncestors(parent)];
}

describe('the trace of a chain', () => {
  it('contains its sub-chains, each below the chain that started it', async () => {
    const end = await withWorker({ agents: [editor], replies: replyAsFamily }, async ({ longhand }) => {
      const root = await longhand.start(editor, 'Write about tea');
      const publisher = longhand.getHandle(`${root.chainId}/1.2`);
      await waitForPublisher(root, publisher);
      await publisher.approve('1.1');
      return root.result();
    });
    expect(end.outcome).toBe('success');
    const invoked = findSpans('invoke_agent');
    const [librarian] = invoked.filter(({ name }) => name === 'invoke_agent librarian');
    expect(listAncestors(librarian!)).toEqual([
      'invoke_agent researcher',
      'invoke_agent editor',
      'StartWorkflow:agent',
    ]);
    expect(new Set(invoked.map(({ traceId }) => traceId)).size).toBe(1);
    expect(invoked).toHaveLength(4);
    const chats = findSpans('chat').filter((chat) => listAncestors(chat).includes('invoke_agent librarian'));
    expect(chats).toHaveLength(1);
    expect(librarian!.attributes['gen_ai.conversation.id']).toBe(`${end.chainId}/1.1/1.1`);
  });

  it('has spans of the agent, its model calls and its tool calls', async () => {
    const result = await playChain([replyWithOpen('right'), done]);
    const [invoked] = findSpans('invoke_agent');
    expect(invoked).toMatchObject({
      name: 'invoke_agent keeper',
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.provider.name': 'anthropic',
        'gen_ai.agent.name': 'keeper',
        'gen_ai.agent.version': '1.4.0',
        'gen_ai.conversation.id': result.chainId,
        'gen_ai.usage.input_tokens': countInputTokens(result.usage),
        'gen_ai.usage.output_tokens': result.usage.output,
        'longhand.outcome': 'success',
      },
      resource: { 'service.name': 'vaults', 'deployment.environment.name': 'test' },
    });
    expect(listAncestors(invoked!)).toEqual(['StartWorkflow:agent']);
    expect(findSpans('invoke_agent')).toHaveLength(1);

    const chats = findSpans('chat');
    expect(chats).toHaveLength(2);
    expect(chats[0]).toMatchObject({
      name: 'chat claude-sonnet-5-5',
      kind: 3,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'anthropic',
        'gen_ai.request.model': 'claude-sonnet-5-5',
        'gen_ai.response.model': 'claude-sonnet-5-5',
        'gen_ai.request.max_tokens': expect.any(Number),
        'gen_ai.response.finish_reasons': ['tool_use'],
        'gen_ai.agent.name': 'keeper',
        'gen_ai.agent.version': '1.4.0',
        'gen_ai.conversation.id': result.chainId,
      },
    });
    const [tool] = findSpans('execute_tool');
    expect(tool).toMatchObject({
      name: 'execute_tool open_vault',
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'open_vault',
        'gen_ai.tool.call.id': '1.1',
        'gen_ai.agent.name': 'keeper',
        'gen_ai.conversation.id': result.chainId,
      },
    });
    for (const chat of chats)
      expect(listAncestors(chat)).toEqual([
        'RunActivity:longhand.callModel',
        'invoke_agent keeper',
        'StartWorkflow:agent',
      ]);
    expect(listAncestors(tool!)).toEqual(['RunActivity:open_vault', 'invoke_agent keeper', 'StartWorkflow:agent']);
    for (const span of [...chats, tool!]) {
      expect(span.traceId).toBe(invoked!.traceId);
      expect(span.startMs).toBeGreaterThanOrEqual(invoked!.startMs);
      expect(span.endMs).toBeLessThanOrEqual(invoked!.endMs);
    }
    const sum = (name: string) => chats.reduce((total, chat) => total + Number(chat.attributes[name]), 0);
    expect(sum('gen_ai.usage.input_tokens')).toBe(countInputTokens(result.usage));
    expect(sum('gen_ai.usage.output_tokens')).toBe(result.usage.output);
    expect(receiver.headers().every((headers) => headers['x-key'] === 'letmein')).toBe(true);
  });

  it('a tool that blocks the event loop is named in a metric and in the log', async () => {
    const heavy = defineTool({
      name: 'weigh',
      description: 'Weighs a vault',
      inputSchema: z.object({}),
      effects: 'read',
      execute: () => {
        for (const until = performance.now() + 600; performance.now() < until; );
        return 'heavy';
      },
    });
    const weighing = defineAgent({ name: 'weigher', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [heavy] });
    const call = { text: 'I weigh it.', calls: [{ name: 'weigh', input: {} }] };
    await withWorker({ agents: [weighing], replies: [call, done] }, async ({ longhand }) =>
      (await longhand.start(weighing, 'Weigh the vault.')).result(),
    );
    expect(loopBlocks).toContainEqual({ operation: 'tool weigh', ms: expect.any(Number) });
    const points = () => receiver.points().filter(({ metric }) => metric === 'longhand.loop.blocked');
    await expect
      .poll(points)
      .toContainEqual(expect.objectContaining({ unit: 's', attributes: { 'longhand.operation': 'tool weigh' } }));
  });

  it('has metrics of tokens and durations', async () => {
    const usageNow = () => receiver.points().filter(({ metric }) => metric === 'gen_ai.client.token.usage');
    const tokens = (type: string) =>
      usageNow()
        .filter(({ attributes }) => attributes['gen_ai.token.type'] === type)
        .reduce((total, { sum }) => total + sum, 0);
    const before = { input: tokens('input'), output: tokens('output') };
    const { usage } = await playChain([done]);
    expect(tokens('input') - before.input).toBe(countInputTokens(usage));
    expect(tokens('output') - before.output).toBe(usage.output);
    expect(usageNow()[0]).toMatchObject({ unit: '{token}', bounds: expect.arrayContaining([1, 4, 67108864]) });
    const durations = receiver.points().filter(({ metric }) => metric === 'gen_ai.client.operation.duration');
    expect(durations[0]).toMatchObject({
      unit: 's',
      bounds: expect.arrayContaining([0.01, 81.92]),
      attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'claude-sonnet-5-5' },
    });
  });

  it('records failures by type', async () => {
    const rejected = { status: 401, error: { type: 'authentication_error', message: 'key-hunter2' } };
    const failing = { worker: { onProviderError: 'fail' } } as const;
    expect(await playChain([replyWithOpen('wrong'), rejected], failing)).toMatchObject({ outcome: 'failure' });
    const errors = listSpans().filter(({ attributes }) => 'error.type' in attributes);
    expect(errors.map(({ name, attributes, status }) => [name, attributes['error.type'], status.code])).toEqual(
      expect.arrayContaining([
        ['execute_tool open_vault', 'ToolError', 2],
        ['chat claude-sonnet-5-5', 'authentication', 2],
        ['invoke_agent keeper', 'failure', 2],
      ]),
    );
    expect(errors).toHaveLength(3);
  });

  it('is emitted once when each task replays the chain', async () => {
    await playChain([replyWithOpen('right'), done], { temporal: { maxCachedWorkflows: 0 } });
    expect(findSpans('invoke_agent')).toHaveLength(1);
    expect(findSpans('chat')).toHaveLength(2);
  });

  it('is a trace of its own when its starter did not trace', async () => {
    const { runId, chainId } = await withWorker(
      { agents: [agent], replies: [replyWithOpen('right'), done] },
      startUntraced,
    );
    const trace = runId.replaceAll('-', '');
    const ours = listSpans().filter(({ traceId }) => traceId === trace);
    expect(listAncestors(ours.find(({ name }) => name === 'execute_tool open_vault')!)).toEqual([
      'RunActivity:open_vault',
      'invoke_agent keeper',
    ]);
    expect(ours.find(({ name }) => name === 'invoke_agent keeper')).toMatchObject({
      parentSpanId: undefined,
      attributes: { 'gen_ai.conversation.id': chainId },
    });
    expect(ours.filter(({ name }) => name.startsWith('chat'))).toHaveLength(2);
  });
});

async function startUntraced({ taskQueue }: ChainTest) {
  process.env.OTEL_SDK_DISABLED = 'true';
  const longhand = await connect({ address: getTemporalAddress(), taskQueue });
  delete process.env.OTEL_SDK_DISABLED;
  try {
    const chain = await longhand.start(agent, task);
    await chain.result();
    const { runId } = await longhand.client.workflow.getHandle(chain.chainId).describe();
    return { runId, chainId: chain.chainId };
  } finally {
    await longhand.close();
  }
}

describe('content in telemetry', () => {
  const visibility = { redact: { patterns: [{ kind: 'bunny', source: 'hunter2' }] } };
  const key =
    'sk-ant-api03-Zx9QwErTyUiOpAsDfGhJkLzXcVbNm1234567890qwertyuiopasdfghjklzxcvbnmQWERTYUIOPASDFGHJKLZ-abcdefAA';
  const read = (span: ReceivedSpan | undefined, name: string) => JSON.parse(String(span?.attributes[name]));

  it('is not sent by default', async () => {
    await playChain([replyWithOpen('wrong'), replyWithOpen('code-hunter2'), done], { worker: { visibility } });
    expect(receiver.raw()).not.toContain('hunter2');
    expect(receiver.raw()).not.toContain('gen_ai.input.messages');
  });

  it('is sent masked if it is switched on', async () => {
    process.env[content] = 'true';
    await playChain([replyWithOpen('code-hunter2'), done], { worker: { visibility } });
    expect(receiver.raw()).not.toContain('hunter2');
    const [, last] = findSpans('chat');
    expect(JSON.stringify(read(last, 'gen_ai.system_instructions'))).toContain('instructions-[redacted:bunny]');
    expect(read(last, 'gen_ai.input.messages')).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'Open the vault of task-[redacted:bunny]' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'text', content: 'I open it, thought-[redacted:bunny].' },
          { type: 'tool_call', id: '1.1', name: 'open_vault', arguments: { code: 'code-[redacted:bunny]' } },
        ],
      },
      {
        role: 'tool',
        parts: [
          {
            type: 'tool_call_response',
            id: '1.1',
            response: { inside: 'result-[redacted:bunny]', serial: '[redacted:field]' },
          },
        ],
      },
    ]);
    expect(read(last, 'gen_ai.output.messages')).toEqual([
      {
        role: 'assistant',
        parts: [{ type: 'text', content: 'It is open, answer-[redacted:bunny].' }],
        finish_reason: 'end_turn',
      },
    ]);
    const [tool] = findSpans('execute_tool');
    expect(read(tool, 'gen_ai.tool.call.arguments')).toEqual({ code: 'code-[redacted:bunny]' });
    expect(read(tool, 'gen_ai.tool.call.result')).toEqual({
      inside: 'result-[redacted:bunny]',
      serial: '[redacted:field]',
    });
  });

  it('is masked by default rules, with one mask per value in a chain', async () => {
    process.env[content] = 'true';
    const chats = `Use ${key}, serial 87302956, mail to ada@example.org and bob@example.org.`;
    await playChain([
      { ...replyWithOpen('x'), text: 'Ask ada@example.org.' },
      { ...replyWithOpen(key), text: chats },
      { text: `Used: ${chats}` },
    ]);
    for (const secret of [key, '87302956', 'ada@', 'bob@']) expect(JSON.stringify(listSpans())).not.toContain(secret);
    const [, , last] = findSpans('chat');
    const masked = 'Use [redacted:api-key], serial [redacted:field], mail to [redacted:email] and [redacted:email#2].';
    expect(read(last, 'gen_ai.output.messages')[0].parts).toEqual([{ type: 'text', content: `Used: ${masked}` }]);
    expect(read(last, 'gen_ai.input.messages')[3].parts[0].content).toBe(masked);
    expect(read(findSpans('execute_tool')[1], 'gen_ai.tool.call.arguments')).toEqual({ code: '[redacted:api-key]' });
  });

  it('of a text protocol has no sensitive member of a tool, however short', async () => {
    process.env[content] = 'true';
    const pinned = defineTool({
      name: 'unlock',
      description: 'Unlocks',
      inputSchema: z.object({ digits: z.string().meta({ sensitive: true }) }),
      effects: 'read',
      execute: () => 'open',
    });
    const speaker = defineAgent({ name: 'speaker', model: 'claude-sonnet-5-5', strategy: 'react', tools: [pinned] });
    const replies = [
      { text: 'Thought: I unlock it.\nAction: unlock\nAction Input: {"digits":"4711"}' },
      { text: 'Thought: It is done.\nFinal Answer: open' },
    ];
    await withWorker({ agents: [speaker], replies }, async ({ longhand }) => {
      await (await longhand.start(speaker, 'Unlock it')).result();
    });
    expect(findSpans('chat')).toHaveLength(2);
    expect(JSON.stringify(findSpans('chat').map(({ attributes }) => attributes))).not.toMatch(/4711/);
    expect(read(findSpans('chat')[0], 'gen_ai.output.messages')[0].parts[1].arguments).toEqual({
      digits: '[redacted:field]',
    });
  });

  it('of a request by a tool is that of the span of the tool above it', async () => {
    process.env[content] = 'true';
    const tools = [llmTool({ models: ['claude-haiku-5-5'], maxTokens: 300 })];
    const asker = defineAgent({ ...agent.definition, name: 'asker', tools });
    const calls = [{ name: 'llm', input: { model: 'claude-haiku-5-5', prompt: 'Which code?' } }];
    const replies: readonly ScriptedReply[] = [{ text: 'I ask.', calls }, { text: '1234' }, done];
    const result = await withWorker({ agents: [asker], replies }, async ({ longhand }) =>
      (await longhand.start(asker, task)).result(),
    );
    const [chat] = findSpans('chat claude-haiku-5-5');
    expect(chat?.attributes).toMatchObject({
      'gen_ai.request.model': 'claude-haiku-5-5',
      'gen_ai.request.max_tokens': 300,
      'gen_ai.agent.name': 'asker',
      'gen_ai.conversation.id': result.chainId,
      'gen_ai.usage.output_tokens': expect.any(Number),
    });
    expect(Object.keys(chat?.attributes ?? {}).filter((name) => name.endsWith('messages'))).toEqual([]);
    expect(listAncestors(chat!).slice(0, 2)).toEqual(['execute_tool llm', 'RunActivity:llm']);
    expect(findSpans('chat')).toHaveLength(3);
  });
});

describe('a history', () => {
  const context = toTraceHeaders({ traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' });
  /** Expects that nothing is logged as a warning or an error either. */
  const replay = async (runs: readonly RecordedRun[]) => {
    const log = vi.spyOn(Runtime.instance().logger, 'log');
    const dataConverter = createEnvironmentConverter();
    const errors = await replayRuns(
      { workflowBundle: { codePath: getWorkflowBundlePath() }, ...(dataConverter ? { dataConverter } : {}) },
      runs,
    );
    expect(log.mock.calls.filter(([level]) => level === 'WARN' || level === 'ERROR')).toEqual([]);
    log.mockRestore();
    return errors;
  };

  const stored = readStoredHistories();
  let replayed: ReadonlyMap<string, Error | null> = new Map();
  beforeAll(async () => {
    replayed = await replay(
      stored.map(({ name, events: [first, ...rest], expected }) => ({
        ...{ name, chainId: expected.result.chainId },
        events: [withHeader(first!, context), ...rest],
      })),
    );
  });

  it.each(stored)('that was recorded without telemetry is replayed with it: $name', ({ name }) => {
    expect(replayed.get(name)).toBeNull();
  });

  it('that was recorded with telemetry is replayed without it', async () => {
    const { chainId, events } = await withWorker(
      { agents: [agent], replies: [replyWithOpen('right'), done] },
      recordHistory,
    );
    const scheduled = events.filter((event) => event.activityTaskScheduledEventAttributes);
    expect(
      scheduled.map((event) => Object.keys(event.activityTaskScheduledEventAttributes?.header?.fields ?? {})),
    ).toEqual(scheduled.map(() => ['_tracer-data']));
    const [first, ...rest] = events;
    const bare = { name: 'without headers', chainId, events: [withHeader(first!, {}), ...rest] };
    const errors = await replay([bare, { name: 'as it was recorded', chainId, events }]);
    expect([...errors.values()]).toEqual([null, null]);
  });
});

async function recordHistory({ longhand }: ChainTest) {
  const chain = await longhand.start(agent, task);
  await chain.result();
  const { events } = await longhand.client.workflow.getHandle(chain.chainId).fetchHistory();
  return { chainId: chain.chainId, events: events ?? [] };
}

function withHeader(event: HistoryEvent, fields: ReturnType<typeof toTraceHeaders>): HistoryEvent {
  const attributes = event.workflowExecutionStartedEventAttributes;
  return { ...event, workflowExecutionStartedEventAttributes: { ...attributes, header: { fields } } };
}

describe('switched-off telemetry', () => {
  const load = async (env: Readonly<Record<string, string>>) => {
    const models = await startMessagesServer([{ text: 'Hello.' }]);
    const options = { address: getTemporalAddress(), taskQueue: `test-${randomUUID()}`, modelUrl: models.url };
    const loaded = await loadedModules(options, env);
    await models.close();
    return loaded;
  };
  const there = () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' });

  // The SDK for the Messages API brings the interface of OpenTelemetry, which alone does nothing.
  it.each([
    ['without an endpoint', () => ({})],
    ['with OTEL_SDK_DISABLED', () => ({ ...there(), OTEL_SDK_DISABLED: 'true' })],
    ['with no exporters', () => ({ ...there(), OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' })],
  ])('%s loads no package, sends nothing and writes nothing into the history', async (_, env) => {
    const nothing = { packages: ['@opentelemetry/api'], headers: 0, complaints: [] };
    expect(await load(env())).toEqual({ ...nothing, outcome: 'success' });
    expect(listSpans()).toEqual([]);
  });

  it('is loaded and sent when it is switched on again', async () => {
    const { packages, headers, complaints } = await load(there());
    // The start, and the call of the model. The marker of the preparation has none.
    expect({ headers, complaints }).toEqual({ headers: 2, complaints: [] });
    expect(packages).toContain('@opentelemetry/sdk-trace-base');
    expect(packages).toContain('@temporalio/interceptors-opentelemetry');
    expect(findSpans('invoke_agent quiet')).toHaveLength(1);
  });
});
