/**
 * The names of OpenTelemetry's GenAI conventions that we use, as of version 1.41.0 of the semantic conventions.
 * They are ours and not a package's: all of them are still in development, and a package that renames one would
 * change what our users' dashboards look for. A new version is a change here, and an entry in the changelog.
 */

export const conventionsUrl = 'https://opentelemetry.io/schemas/1.41.0';

export const operations = { agent: 'invoke_agent', chat: 'chat', tool: 'execute_tool' } as const;

export const attributes = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  agent: 'gen_ai.agent.name',
  conversation: 'gen_ai.conversation.id',
  requestModel: 'gen_ai.request.model',
  requestMaxTokens: 'gen_ai.request.max_tokens',
  requestTemperature: 'gen_ai.request.temperature',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  /** All of the input, whether or not it came from a cache. */
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  tool: 'gen_ai.tool.name',
  toolCall: 'gen_ai.tool.call.id',
  toolType: 'gen_ai.tool.type',
  tokenType: 'gen_ai.token.type',
  errorType: 'error.type',
} as const;

/** What is recorded only when someone asked for it. */
export const contentAttributes = {
  system: 'gen_ai.system_instructions',
  input: 'gen_ai.input.messages',
  output: 'gen_ai.output.messages',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
} as const;

/** Not of the conventions: what a chain came to. */
export const ownAttributes = { outcome: 'longhand.outcome' } as const;

export const metrics = {
  tokens: {
    name: 'gen_ai.client.token.usage',
    unit: '{token}',
    description: 'Tokens that a call used',
    buckets: [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864],
  },
  duration: {
    name: 'gen_ai.client.operation.duration',
    unit: 's',
    description: 'How long a call took',
    buckets: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  },
} as const;
