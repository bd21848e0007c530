/**
 * Plays the recorded model: a local server of the Messages API for people without a model. It streams like a real model and
 * keeps no state, so that equal requests get equal replies.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../../core/lib/index.js';
import { joinTextBlocks, type ReplyBlock } from '../../core/model/index.js';
import {
  parseJsonObject,
  readText,
  serializeEvent,
  toReplyBody,
  toReplyEvents,
  type WireReply,
} from '../../models/index.js';
import { loopback } from '../server/ports.js';
import { type Conversation, parseConversation, toReplyBlocks } from './conversation.js';
import { findNextReply, findTranscript, type Reply, readTranscripts, type Transcript } from './transcript.js';

/** Name of the recorded model. It has no price: its chains count tokens but no cost. */
export const rehearsedModel = 'rehearsed';

export interface Player {
  /** A value for `LONGHAND_MODEL_URL`. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

export interface PlayerOptions {
  /** Called with the reason when no recorded reply fits: the refusal itself has no text. */
  readonly onStuck?: (why: string) => void;
  /** Average milliseconds between two pieces of a reply. Default 15. */
  readonly delayMs?: number;
}

/**
 * Starts the server on a free port of the loopback address.
 *
 * @example
 * const player = await startPlayer();
 * const provider = anthropicProvider({ baseURL: player.url });
 */
export async function startPlayer({ delayMs = 15, onStuck = () => {} }: PlayerOptions = {}): Promise<Player> {
  const transcripts = readTranscripts();
  const server = createServer((incoming, outgoing) => {
    handleRequest(incoming, outgoing, { transcripts, delayMs, onStuck }).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, loopback, resolve);
  });
  return {
    url: `http://${loopback}:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function handleRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { transcripts, delayMs, onStuck }: Required<PlayerOptions> & { readonly transcripts: readonly Transcript[] },
): Promise<void> {
  const text = await readText(incoming);
  const path = incoming.url?.split('?')[0];
  if (incoming.method !== 'POST' || path !== '/v1/messages') {
    return sendError(outgoing, 404, 'not_found_error', `Use POST /v1/messages, not ${incoming.method} ${path}.`);
  }
  const body = parseJsonObject(text);
  if (body === null) return sendError(outgoing, 400, 'invalid_request_error', 'The body is not a JSON object.');
  const reply = createReply(transcripts, body, Buffer.byteLength(text));
  if (reply.stopReason === 'refusal') onStuck(joinTextBlocks(reply.content));
  if (body.stream === true) return streamReply(outgoing, reply, delayMs);
  outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(toReplyBody(reply)));
}

/** Returns the reply to a request. Pure: equal requests get equal replies. */
export function createReply(transcripts: readonly Transcript[], body: JsonObject, bytes: number): WireReply {
  const conversation = parseConversation(body);
  const reply = chooseReply(transcripts, conversation);
  const content: readonly ReplyBlock[] =
    'stuck' in reply ? [{ type: 'text', text: reply.stuck }] : toReplyBlocks(reply, conversation);
  const stopReason = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  return {
    id: `msg_rehearsed_${conversation.observations.length + 1}`,
    model: rehearsedModel,
    content,
    stopReason: 'stuck' in reply ? 'refusal' : stopReason,
    stopSequence: null,
    // An estimate: four bytes per token.
    usage: {
      input: Math.ceil(bytes / 4),
      output: Math.ceil(Buffer.byteLength(JSON.stringify(content)) / 4),
      cacheRead: 0,
      cacheWrite: 0,
      thinking: 0,
    },
  };
}

const modelHint =
  'To use a real model, set ANTHROPIC_API_KEY, or LONGHAND_MODEL_URL (a server of the Messages API) and LONGHAND_MODEL.';

function chooseReply(
  transcripts: readonly Transcript[],
  { task, observations, isClosing }: Conversation,
): Reply | { readonly stuck: string } {
  const transcript = findTranscript(transcripts, task);
  if (transcript === undefined) {
    const stuck = `I am a recorded model and know only the tasks of the demo and the examples. ${modelHint}`;
    return { stuck: `${stuck}\n\nA task that I know: ${transcripts[0]?.task}` };
  }
  const last = observations.at(-1);
  if (isClosing) {
    const lastText = last === undefined ? 'nothing' : last.text;
    return {
      thought: 'I have to stop here.',
      answer: `I am a recorded model and was stopped early. Found so far: ${lastText}`,
    };
  }
  if (last?.failed && !transcript.recovers) {
    return {
      stuck: `I am a recorded model and cannot continue after a failed call. The call failed with: ${last.text}\n\n${modelHint}`,
    };
  }
  const reply = findNextReply(transcript, observations);
  if (reply !== null) return reply;
  return {
    stuck: `I am a recorded model and have no reply to this observation: ${last?.text}\n\n${modelHint}`,
  };
}

async function streamReply(outgoing: ServerResponse, reply: WireReply, delayMs: number): Promise<void> {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  for (const [index, event] of toReplyEvents(reply).entries()) {
    // Pauses vary from two thirds to four thirds of the average.
    await pause(delayMs * (0.67 + ((index * 29) % 67) / 100));
    if (outgoing.destroyed) return;
    outgoing.write(serializeEvent(event));
  }
  outgoing.end();
}

function sendError(outgoing: ServerResponse, status: number, type: string, message: string): void {
  const body = { type: 'error', error: { type, message } };
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
