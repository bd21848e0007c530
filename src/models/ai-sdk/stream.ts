/** Reads the stream of a model of the AI SDK, and leaves it when a signal aborts, even if the model ignores the signal. */

import { isObject, type JsonObject } from '../../core/lib/index.js';
import type { AiSdkModel, AiSdkStreamResult } from './model.js';

/** A stream that has begun. */
export interface StartedStream {
  readonly parts: AsyncIterable<JsonObject>;
  /** Content type of the response; empty if the model does not report it. */
  readonly contentType: string;
}

/** Makes the request. Rejects with the model's error, or when the signal aborts. */
export async function startStream(model: AiSdkModel, options: object, signal: AbortSignal): Promise<StartedStream> {
  // The only place where our shapes are cast to those of a version.
  const starting = (async () => model.doStream({ ...options, abortSignal: signal } as never))();
  const result = await new Promise<AiSdkStreamResult>((resolve, reject) => {
    const abort = () => {
      void cancelLate(starting);
      // The model may have a more exact error, such as that nothing was sent.
      setImmediate(() => reject(signal.reason));
    };
    signal.addEventListener('abort', abort, { once: true });
    starting.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
  return { parts: readParts(result, signal), contentType: result.response?.headers?.['content-type'] ?? '' };
}

/** Closes the connection of a stream that begins after the signal. */
async function cancelLate(starting: Promise<AiSdkStreamResult>): Promise<void> {
  try {
    const { stream } = await starting;
    await stream.getReader().cancel();
  } catch {
    // Nobody waits for it.
  }
}

/** Yields the parts until the stream ends or the signal aborts. */
async function* readParts({ stream }: AiSdkStreamResult, signal: AbortSignal): AsyncGenerator<JsonObject> {
  const reader = stream.getReader();
  // Ends a read that waits, even if the model ignores its signal.
  const cancel = async () => {
    try {
      await reader.cancel();
    } catch {
      // The stream has failed already.
    }
  };
  if (signal.aborted) void cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if (isObject(value)) yield value;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    void cancel();
  }
}
