/** Chains and agents as plain data, with the members that a strategy reads. */

import type { JsonObject } from '../../../src/core/lib/json.js';
import type { AgentSnapshot, ReactOptions, ToolSnapshot } from '../../../src/core/model/agent.js';
import type { Call, Chain, Step } from '../../../src/core/model/chain.js';
import { emptyState } from '../../../src/core/model/state.js';
import { noUsage } from '../../../src/core/model/usage.js';
import { reactDefaults } from '../../../src/core/strategies/strategy.js';

export function sampleTool(name: string, inputSchema: JsonObject, more: Partial<ToolSnapshot> = {}): ToolSnapshot {
  return {
    name,
    kind: 'external',
    description: `The tool ${name}`,
    inputSchema,
    returns: '',
    effects: 'read',
    waits: false,
    timeoutMs: 1,
    heartbeatMs: 1,
    attempts: 1,
    backoffMs: 1,
    view: {},
    roles: [],
    audit: null,
    question: null,
    delegates: null,
    ...more,
  };
}

export function sampleAgent(tools: readonly ToolSnapshot[], options: Partial<ReactOptions> = {}): AgentSnapshot {
  return {
    name: 'sample',
    version: null,
    instructions: 'You compare weather.',
    model: {
      name: 'claude',
      provider: 'anthropic',
      id: 'claude',
      price: null,
      maxTokens: 1_024,
      contextTokens: null,
      compactAt: 0.8,
      temperature: null,
      effort: null,
      thinking: null,
      stopSequences: ['END'],
      timeoutMs: 1,
      heartbeatMs: 1,
      retry: { attempts: 1, forMs: 1, maxIntervalMs: 1 },
      onProviderError: 'hold',
    },
    strategy: { ...reactDefaults, ...options },
    tools,
    limits: { steps: 10, tokens: 1, costUsd: null, timeMs: 1, stallThreshold: 3, stallSimilarity: 0.8 },
    successPhrases: [],
    failurePhrases: [],
    maxObservationTokens: 2_000,
    promptBytes: 0,
    permissions: {},
    tenants: null,
    waitingCounts: false,
    digest: '',
  };
}

export function sampleCall(id: string, more: Partial<Call> = {}): Call {
  return {
    id,
    useId: null,
    tool: 'search',
    input: {},
    status: 'ok',
    observation: `result of ${id}`,
    clippedFrom: null,
    reusedFrom: null,
    startedAt: 0,
    endedAt: 1,
    ...more,
  };
}

export function sampleStep(number: number, more: Partial<Step> = {}): Step {
  return {
    number,
    thought: null,
    calls: [sampleCall(`${number}.1`)],
    answer: null,
    problem: null,
    content: [{ type: 'text', text: `Thought: step ${number}` }],
    pausedContent: [],
    modelCall: number,
    provider: 'anthropic',
    model: 'claude',
    usage: noUsage,
    costUsd: null,
    startedAt: 0,
    endedAt: 1,
    ...more,
  };
}

export function sampleChain(steps: readonly Step[], scratchpad = ''): Chain {
  const input = {
    rules: 1,
    agent: 'sample',
    task: 'Compare the weather.',
    model: null,
    limits: {},
    tenant: null,
    user: null,
    roles: [],
  } as const;
  return {
    state: { ...emptyState, input, scratchpad },
    steps,
    notices: [],
    messages: [],
    pausedContent: [],
    guidance: [],
  };
}
