/**
 * Ends the HTTP request of a call that the client cancels: the official client sends `notifications/cancelled`, and leaves the
 * connection of the request open until the server ends it.
 *
 * The client then gets no more of that response, neither its end nor an error: it would report the error, or request the rest.
 */

import { isObject, parseJson } from '../../core/lib/index.js';
import type { Fetch } from './bounded-fetch.js';

type Message =
  | { readonly kind: 'request'; readonly id: string | number }
  | { readonly kind: 'cancel'; readonly id: string | number }
  | { readonly kind: 'other' };

export function createCancellingFetch(send: Fetch): Fetch {
  const running = new Map<string | number, AbortController>();
  return async (url, init) => {
    const message = readMessage(init);
    if (message.kind === 'other') return await send(url, init);
    if (message.kind === 'cancel') {
      // The server sees the reason before the end of the connection.
      return await send(url, init).finally(() => running.get(message.id)?.abort());
    }
    const cancelled = new AbortController();
    running.set(message.id, cancelled);
    const forget = () => void (running.get(message.id) === cancelled && running.delete(message.id));
    try {
      return await sendUntil(cancelled.signal, forget, (signal) => send(url, { ...init, signal }), init?.signal);
    } catch (error) {
      forget();
      throw error;
    }
  };
}

async function sendUntil(
  cancelled: AbortSignal,
  forget: () => void,
  send: (signal: AbortSignal) => Promise<Response>,
  closed: AbortSignal | null | undefined,
): Promise<Response> {
  const unanswered = new AbortController();
  let end = () => unanswered.abort();
  cancelled.addEventListener('abort', () => {
    forget();
    end();
  });
  const signals = [unanswered.signal, ...(closed == null ? [] : [closed])];
  const response = await send(AbortSignal.any(signals)).catch((error: unknown) => {
    if (!cancelled.aborted) throw error;
    return null;
  });
  if (response === null) return await new Promise<never>(() => {});
  const { body, status, statusText, headers } = response;
  if (body === null) {
    forget();
    return response;
  }
  const reader = body.getReader();
  end = () => void reader.cancel().catch(() => {});
  if (cancelled.aborted) end();
  const rest = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (cancelled.aborted) return;
        if (!done) return controller.enqueue(value);
        forget();
        controller.close();
      } catch (error) {
        forget();
        if (!cancelled.aborted) controller.error(error);
      }
    },
    cancel: async (reason) => {
      forget();
      await reader.cancel(reason);
    },
  });
  return new Response(rest, { status, statusText, headers });
}

/** The client sends each message by itself, as JSON. */
function readMessage(init: RequestInit | undefined): Message {
  const other: Message = { kind: 'other' };
  if (init?.method !== 'POST' || typeof init.body !== 'string') return other;
  const message = parseJson(init.body);
  if (!isObject(message)) return other;
  const { id, method, params } = message;
  if (method === 'notifications/cancelled') {
    const cancelled = isObject(params) ? params.requestId : undefined;
    return isId(cancelled) ? { kind: 'cancel', id: cancelled } : other;
  }
  return typeof method === 'string' && isId(id) ? { kind: 'request', id } : other;
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
