/** A scripted model behind the Messages API. */

import { isObject } from '../../src/core/lib/json.js';
import type { Json, JsonObject } from '../../src/index.js';
import {
  serializeEvent,
  toReplyBody,
  toReplyEvents,
  type WireEvent,
  type WireReply,
} from '../../src/models/wire/wire-events.js';
import { findRequestFault } from './messages-rules.js';
import type { UsageOnWire, WireError } from './model-answer.js';
import {
  type Script as ModelScript,
  type ModelServer,
  type ModelServerOptions,
  type RecordedRequest as RecordedModelRequest,
  startModelServer,
} from './model-server.js';

export type { ScriptedReply } from './scripted-reply.js';

/** The body of a request that passed the rules. */
export interface RecordedBody {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly { readonly role: string; readonly content: string | readonly JsonObject[] }[];
  readonly system?: Json;
  readonly tools?: readonly JsonObject[];
  readonly tool_choice?: Json;
  readonly stop_sequences?: readonly string[];
  readonly stream?: boolean;
  readonly thinking?: Json;
  readonly output_config?: Json;
  readonly cache_control?: Json;
  readonly temperature?: number;
}

export type RecordedRequest = RecordedModelRequest<RecordedBody>;
export type Script = ModelScript<RecordedBody>;
export type MessagesServer = ModelServer<RecordedBody>;

export interface MessagesServerOptions extends ModelServerOptions {
  /** Counts the input tokens of a request of this many bytes. Default: the server does not count. */
  readonly countTokens?: (bytes: number) => number;
}

export function startMessagesServer(script: Script, options: MessagesServerOptions = {}): Promise<MessagesServer> {
  const { countTokens } = options;
  const wire = {
    path: '/v1/messages',
    findFault: (body: JsonObject) => findRequestFault(body, options.allowTemperature === true),
    getStopSequences: (body: JsonObject) => (body.stop_sequences ?? []) as readonly string[],
    toCallId: (number: number) => `toolu_scripted_${number}`,
    answerOther: (path: string, text: string) =>
      path === '/v1/messages/count_tokens' && countTokens !== undefined
        ? { input_tokens: countTokens(Buffer.byteLength(text)) }
        : null,
    ...messagesAnswers,
  };
  return startModelServer<RecordedBody>(wire, script, options);
}

export const messagesAnswers = {
  toEvents: (reply: WireReply, usage?: UsageOnWire): readonly string[] =>
    (usage === undefined ? toReplyEvents(reply) : withUsage(toReplyEvents(reply), usage)).map(serializeEvent),
  toBody: toReplyBody,
  toErrorEvent: (error: WireError) => serializeEvent({ type: 'error', error: { ...error } }),
  toErrorBody: (error: WireError): JsonObject => ({ type: 'error', error: { ...error }, request_id: 'req_scripted' }),
};

function withUsage(events: readonly WireEvent[], { start, end }: UsageOnWire) {
  const toUsage = (usage: Json | undefined) => (usage === undefined ? {} : { usage });
  return events.map((event): WireEvent => {
    if (event.type === 'message_start' && isObject(event.message)) {
      const { usage: _, ...message } = event.message;
      return { ...event, message: { ...message, ...toUsage(start) } };
    }
    if (event.type !== 'message_delta') return event;
    const { usage: _, ...rest } = event;
    return { ...rest, type: event.type, ...toUsage(end) };
  });
}
