/** Ends an answer that has too many bytes: a server that streams for ever must not fill the worker's memory (L7). */

export interface ByteLimit {
  /** The same answer, whose body fails once it has more bytes. */
  readonly applyTo: (response: Response) => Response;
  readonly isExceeded: () => boolean;
}

export function byteLimit(most: number): ByteLimit {
  let received = 0;
  const counted = () =>
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        received += chunk.byteLength;
        if (received > most) controller.error(new Error(`The answer has more than ${most} bytes.`));
        else controller.enqueue(chunk);
      },
    });
  return {
    applyTo: (response) =>
      response.body === null
        ? response
        : new Response(response.body.pipeThrough(counted()), { headers: response.headers }),
    isExceeded: () => received > most,
  };
}
