/**
 * Sends one call over a wire and reads its reply, streamed or in one piece. The same for every wire: one watchdog, one
 * limit of bytes, and one rule for what a complete reply is.
 */

import { type JsonObject, toErrorMessage } from '../../core/lib/index.js';
import { defaults, type ModelFailure, type Reply, type Usage } from '../../core/model/index.js';
import {
  createFailure,
  type SdkErrors,
  toErrorFailure,
  toFailedResult,
  toIncompleteStreamFailure,
  toMidStreamFailure,
  toOtherServerFailure,
} from './call-failure.js';
import type { ModelCall, ModelCallOptions, ModelCallResult } from './provider.js';
import { InvalidReplyError, readBody, readEvents } from './read-events.js';
import { createByteLimit, createWatchdog, type Watchdog } from './watchdog.js';

/** Builds a reply from the events of a stream. */
export interface ReplyReader {
  /** Whether the reply has begun. */
  readonly started: boolean;
  /** Whether nothing of the reply is missing. Its usage may be. */
  readonly complete: boolean;
  /** Whether nothing is missing, so that the connection need not stay open. */
  readonly ended: boolean;
  /** The first fault of the reply, as a clause: it is not a reply, and what follows is not read. Null for none. */
  readonly fault: string | null;
  /** Consumes the next event; returns its text, if any. */
  consume(event: JsonObject): string;
  /** Returns the reply so far. */
  toReply(): Reply;
  /**
   * Computes the most that an interrupted reply has cost, by the usage that was reported; null if that is unknown.
   *
   * @param arrived `part` if the provider may have sent more than arrived
   */
  computeUsageBound(maxTokens: number, arrived: 'all' | 'part'): Usage | null;
}

/** An API of model servers. */
export interface Wire {
  /** For messages: `a Messages API`. */
  readonly api: string;
  readonly sdk: SdkErrors;
  readonly send: (call: ModelCall, signal: AbortSignal) => Promise<Response>;
  readonly createReader: () => ReplyReader;
  /** Whether an event reports an error, in its member `error`. */
  readonly isError: (event: JsonObject) => boolean;
  /** Converts a reply in one piece to the events of a stream; null for another body. */
  readonly toEvents: (body: JsonObject) => readonly JsonObject[] | null;
}

/** Milliseconds without an event before a call fails as stalled. */
export const defaultStallMs = 120_000;

/** Milliseconds for the connection of a complete reply to close by itself, for reuse. */
const closeGraceMs = 1_000;

/** Makes one request. Contract of `ModelProvider.call`. */
export async function sendCall(
  load: () => Promise<Wire>,
  call: ModelCall,
  options: ModelCallOptions,
  stallMs: number,
): Promise<ModelCallResult> {
  let wire: Wire;
  try {
    wire = await load();
  } catch (error) {
    return toFailedResult({ ...createFailure('invalid_provider', toErrorMessage(error)), settle: 'nothing' });
  }
  const watch = createWatchdog(options.signal, stallMs, call.model.timeoutMs);
  try {
    return watch.getEnd() === null ? await sendWatched(wire, call, options, watch) : toFailedResult(notSentFailure);
  } finally {
    watch.stop();
  }
}

async function sendWatched(
  wire: Wire,
  call: ModelCall,
  options: ModelCallOptions,
  watch: Watchdog,
): Promise<ModelCallResult> {
  const reply = wire.createReader();
  // Bytes are activity too: some servers send comments while the model thinks.
  const limit = createByteLimit(defaults.streamBytes, () => {
    if (!reply.ended) watch.recordActivity();
  });
  const fail = (failure: ModelFailure) => toFailedResult(keepUsage(failure, reply, call.maxTokens));
  let response: Response | null = null;
  try {
    response = await wire.send(call, watch.signal);
    const events = isJson(response) ? readWhole(wire, limit.applyTo(response)) : readEvents(limit.applyTo(response));
    for await (const event of events) {
      if (wire.isError(event) && !reply.complete) return fail(toMidStreamFailure(event, response));
      const text = reply.consume(event);
      if (reply.fault !== null) return fail(createFailure('invalid_reply', reply.fault));
      if (text !== '') options.onText?.(text);
      if (reply.ended) watch.finish(closeGraceMs);
    }
    if (reply.complete) return { ok: true, reply: nameModel(reply.toReply(), response) };
    return fail(isStream(response) ? toIncompleteStreamFailure() : toOtherServerFailure(response, wire.api));
  } catch (error) {
    if (error instanceof InvalidReplyError) return fail(createFailure('invalid_reply', error.message));
    // A complete reply stays valid however its connection ended.
    if (reply.complete) return { ok: true, reply: nameModel(reply.toReply(), response) };
    if (limit.isExceeded()) return fail(tooLongFailure);
    const progress = { sdk: wire.sdk, reply, response, endedBy: watch.getEnd(), maxTokens: call.maxTokens };
    return fail(toErrorFailure(error, progress));
  }
}

/**
 * Charges a reply that died by the usage that arrived before. The provider may have written more than arrived, so the output
 * is `maxTokens` unless its count was reported too.
 */
function keepUsage(failure: ModelFailure, reply: ReplyReader, maxTokens: number): ModelFailure {
  const usage = failure.settle === 'reservation' && reply.started ? reply.computeUsageBound(maxTokens, 'part') : null;
  return usage === null ? failure : { ...failure, settle: 'usage', usage };
}

/** LiteLLM's proxy has the name that was requested in the reply, and the model that answered, as after a fallback, in a header. */
function nameModel(reply: Reply, response: Response | null): Reply {
  return { ...reply, model: response?.headers.get('x-litellm-model-name') || reply.model };
}

function isStream(response: Response): boolean {
  return response.headers.get('content-type')?.includes('event-stream') === true;
}

function isJson(response: Response): boolean {
  return /^application\/(\w+\+)?json\b/i.test(response.headers.get('content-type') ?? '');
}

/** Reads the reply of a server that ignores `stream`: it is paid for. */
async function* readWhole(wire: Wire, response: Response): AsyncGenerator<JsonObject> {
  const body = await readBody(response);
  if (body === null) return;
  yield* wire.isError(body) ? [body] : (wire.toEvents(body) ?? []);
}

const tooLongFailure = createFailure('too_large', `the reply has more than ${defaults.streamBytes} bytes`);

const notSentFailure: ModelFailure = {
  ...createFailure('cancelled', 'the call was cancelled before it was sent'),
  settle: 'nothing',
};
