/** What holds for every provider, over its real wire. A test file applies it to one provider: `proveProvider(wire)`. */

import { isObject } from '../../../src/core/lib/json.js';
import type { Reply, ReplyStopReason } from '../../../src/core/model/model.js';
import type { ModelProvider } from '../../../src/entries/models.js';
import type { Json, JsonObject } from '../../../src/index.js';
import type { AnswerWire } from '../../support/model-answer.js';
import type { ModelServer, ModelServerOptions, Script } from '../../support/model-server.js';
import { type CallChanges, callProvider, closeAtEnd, toReply } from '../call.js';
import { proveCancel } from './cancel.js';
import { proveFailures } from './failures.js';
import { proveReplies } from './replies.js';
import { proveStreams } from './streams.js';
import { proveStructured } from './structured.js';

export interface ProviderOptions {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly stallTimeout?: number;
  readonly fetch?: typeof globalThis.fetch;
}

/** A provider with the server for it. */
export interface ContractWire {
  /** For the names of tests. */
  readonly name: string;
  readonly startServer: (script: Script, options?: ModelServerOptions) => Promise<ModelServer>;
  readonly createProvider: (options: ProviderOptions) => ModelProvider;
  /** The replies as the server sends them, to cut them at any byte. */
  readonly answers: AnswerWire;
  /** The stop reasons that the API has. */
  readonly stopReasons: readonly ReplyStopReason[];
  /** Whether the API reports which stop sequence ended a reply. */
  readonly reportsStopSequence: boolean;
  /** Whether input tokens are reported before the reply, so that a cancelled one costs its usage so far. */
  readonly reportsInputFirst: boolean;
  /** Returns the schema of the answer in a request; null for none. */
  readonly getOutputSchema: (body: JsonObject) => Json;
  /** What a package between the provider and the API does not do. Absent: none. */
  readonly gaps?: readonly ContractGap[];
  /** Whether a package of others reads the bytes: a sample of cuts is enough then. Absent: false. */
  readonly isReadByPackage?: boolean;
}

/**
 * `whole replies`: a reply in one piece, to a request for a stream, is not read. `invalid usage`: a reply is not read
 * either where its usage is missing or invalid. `last event`: a reply is not complete without it. `temperature`: it is
 * not sent to a model that the package knows to reject it. `cache writes`: they count as other input.
 */
export type ContractGap = 'whole replies' | 'invalid usage' | 'last event' | 'temperature' | 'cache writes';

export function proveProvider(wire: ContractWire): void {
  proveReplies(wire);
  proveStreams(wire);
  proveFailures(wire);
  proveCancel(wire);
  proveStructured(wire);
}

export function hasGap({ gaps = [] }: ContractWire, gap: ContractGap): boolean {
  return gaps.includes(gap);
}

export function getMessagesSchema({ output_config: config }: JsonObject): Json {
  return isObject(config) && isObject(config.format) ? (config.format.schema ?? null) : null;
}

export function getChatSchema({ response_format: format }: JsonObject): Json {
  return isObject(format) && isObject(format.json_schema) ? (format.json_schema.schema ?? null) : null;
}

export const apiKey = 'sk-contract-0123456789abcdef';

/** The provider of a scripted server, which the end of the test closes. */
export async function play(
  wire: ContractWire,
  script: Script,
  options: Partial<ProviderOptions> & ModelServerOptions = {},
): Promise<{ readonly server: ModelServer; readonly provider: ModelProvider }> {
  const server = await closeAtEnd(wire.startServer(script, options));
  const { stallTimeout, fetch } = options;
  const more = { ...(stallTimeout !== undefined && { stallTimeout }), ...(fetch !== undefined && { fetch }) };
  return { server, provider: wire.createProvider({ baseURL: server.url, apiKey, ...more }) };
}

export async function reply(provider: ModelProvider, changes?: CallChanges): Promise<Reply> {
  return toReply(await callProvider(provider, changes));
}
