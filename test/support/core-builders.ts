/** Agents, replies and failures of the core, with defaults for members that a test omits. */

import type { AgentSnapshot } from '../../src/core/model/agent.js';
import { defaults } from '../../src/core/model/defaults.js';
import {
  type ChainInput,
  currentRules,
  type FailureDetails,
  type ModelFailure,
  type ModelReply,
} from '../../src/core/model/fact.js';
import type { Reply, ReplyBlock, ReplyStopReason } from '../../src/core/model/model.js';
import type { RequestedCall } from '../../src/core/model/reading.js';
import { noUsage } from '../../src/core/model/usage.js';
import { compactReading } from '../../src/core/strategies/compact-reading.js';
import { getStrategy } from '../../src/core/strategies/strategies.js';
import { autonomousDefaults, type CallValidator, toolsDefaults } from '../../src/core/strategies/strategy.js';
import type { Json, Limits, ToolSnapshot, Usage } from '../../src/index.js';
import { computeSignature } from './scripted-reply.js';

export function tool(name: string, options: Partial<ToolSnapshot> = {}): ToolSnapshot {
  return {
    name,
    kind: 'external',
    description: `Does ${name}.`,
    inputSchema: { type: 'object' },
    returns: '',
    effects: 'read',
    waits: false,
    timeoutMs: 60_000,
    heartbeatMs: 10_000,
    attempts: 3,
    backoffMs: 1_000,
    view: {},
    roles: [],
    audit: null,
    question: null,
    delegates: null,
    ...options,
  };
}

/** Tools of each kind: `look` is pure, `read` and `poll` are reads, `save` is idempotent, `pay` is unsafe. */
export const someTools = [
  tool('look', { effects: 'pure' }),
  tool('read'),
  tool('poll'),
  tool('save', { effects: 'idempotent' }),
  tool('pay', { effects: 'unsafe', attempts: 1 }),
];

/** Two dollars per million input tokens, ten per million output tokens. */
export const somePrice = { input: 2e-6, output: 1e-5, cacheRead: 2e-7, cacheWrite: 2.5e-6 };

interface AgentOptions extends Partial<Omit<AgentSnapshot, 'limits' | 'model'>> {
  readonly limits?: Partial<Limits>;
  readonly model?: Partial<AgentSnapshot['model']>;
}

export function agentOf({ limits, model, ...rest }: AgentOptions = {}): AgentSnapshot {
  return {
    name: 'clerk',
    version: null,
    instructions: 'You are a clerk.',
    model: {
      name: 'some-model',
      provider: 'some-provider',
      id: 'some-model',
      price: somePrice,
      maxTokens: 16_000,
      contextTokens: null,
      compactAt: 0.8,
      temperature: null,
      effort: null,
      thinking: null,
      stopSequences: [],
      timeoutMs: 600_000,
      heartbeatMs: 10_000,
      retry: { attempts: 6, forMs: defaults.modelRetryMs, maxIntervalMs: defaults.modelBackoffLongestMs },
      onProviderError: 'hold',
      ...model,
    },
    strategy: toolsDefaults,
    tools: someTools,
    limits: {
      steps: 10,
      tokens: 1_000_000,
      costUsd: 5,
      timeMs: 600_000,
      stallThreshold: 3,
      stallSimilarity: 0.8,
      ...limits,
    },
    successPhrases: [],
    failurePhrases: [],
    maxObservationTokens: 2_000,
    promptBytes: 500,
    permissions: {},
    tenants: null,
    waitingCounts: false,
    digest: 'some-digest',
    ...rest,
  };
}

export const autonomousAgent = (options: AgentOptions = {}): AgentSnapshot =>
  agentOf({ strategy: autonomousDefaults, ...options, limits: { steps: 30, ...options.limits } });

export const someInput: ChainInput = {
  rules: currentRules,
  agent: 'clerk',
  task: 'Find out what is due, and pay it.',
  model: null,
  limits: {},
  tenant: null,
  user: null,
  roles: [],
};

export const usage = (input: number, output: number): Usage => ({ ...noUsage, input, output });

export interface Asked {
  readonly tool: string;
  readonly input?: Json;
  readonly rejected?: string;
}

/** A reply with this reading, without the parsing of a strategy. */
export function replyOf(reading: Partial<ModelReply['reading']>, more: Partial<ModelReply> = {}): ModelReply {
  return {
    provider: 'some-provider',
    request: '0'.repeat(64),
    model: 'some-model-1',
    stopReason: 'end_turn',
    usage: usage(1_000, 100),
    check: null,
    approvals: null,
    ...more,
    reading: { thought: null, calls: [], answer: null, problem: null, scratchpad: null, content: [], ...reading },
  };
}

/** A reply that requests calls, such as `look(1)`. */
export function asks(...calls: readonly Asked[]): ModelReply {
  const requested = calls.map(
    ({ tool: name, input = {}, rejected = null }, at): RequestedCall => ({
      useId: `use_${at}`,
      tool: name,
      input,
      rejected,
    }),
  );
  const content = requested.map((call): ReplyBlock => {
    return { type: 'tool_use', id: call.useId ?? '', name: call.tool, input: call.input };
  });
  return replyOf({ thought: 'I shall see.', calls: requested, content }, { stopReason: 'tool_use' });
}

export const look = (input: Json = {}): Asked => ({ tool: 'look', input });
export const poll = (input: Json = {}): Asked => ({ tool: 'poll', input });
export const save = (input: Json = {}): Asked => ({ tool: 'save', input });
export const pay = (input: Json = {}): Asked => ({ tool: 'pay', input });

export const answers = (answer: Json): ModelReply =>
  replyOf({ answer, content: [{ type: 'text', text: String(answer) }] });

export const unreadable = (problem = 'Write it again.'): ModelReply =>
  replyOf({ problem, content: [{ type: 'text', text: 'hm' }] });

/** A reply of a provider, before a strategy has parsed it. */
export function rawReply(
  content: readonly ReplyBlock[],
  stopReason: ReplyStopReason = 'end_turn',
  used = noUsage,
): Reply {
  return { model: 'some-model-1', stopReason, content, usage: used };
}

export const text = (words: string): ReplyBlock => ({ type: 'text', text: words });
export const use = (id: string, name: string, input: Json = {}): ReplyBlock => ({ type: 'tool_use', id, name, input });
export const thinks = (thinking: string): ReplyBlock => ({
  type: 'thinking',
  thinking,
  signature: computeSignature(thinking),
});

export const anything: CallValidator = () => null;

/** A reply as the agent's strategy parses it. */
export function readBy(agent: AgentSnapshot, reply: Reply, validate: CallValidator = anything): ModelReply {
  const { content: _content, ...rest } = reply;
  const reading = compactReading(getStrategy(agent.strategy).parse(reply, agent, validate));
  const sent = { provider: 'some-provider', request: '0'.repeat(64) };
  return { ...rest, ...sent, reading, check: null, approvals: null };
}

export function modelFailure(kind: ModelFailure['kind'], more: Partial<Omit<ModelFailure, 'kind'>> = {}): ModelFailure {
  return { kind, message: `It was ${kind}`, status: null, retryAfterMs: null, settle: 'nothing', usage: null, ...more };
}

export function toolFailure(type: string, message = 'It broke', more: Partial<FailureDetails> = {}): FailureDetails {
  return { type, message, timeoutType: null, details: null, ...more };
}

export const stopped = toolFailure('cancelled', 'It was cancelled.');
