/** Streams of a gateway as a client reads them. */

import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** An event as a client gets it. */
export interface ReadEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the members that they expect.
  readonly data: any;
}

/** Yields the events of a response with server-sent events. */
export async function* readStream(response: Response): AsyncGenerator<ReadEvent, void> {
  if (response.headers.get('content-type') !== 'text/event-stream')
    throw new Error(`No stream: ${response.status} ${await response.text()}`);
  const arrived: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => arrived.push(event) });
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    for (const { id, event, data } of arrived.splice(0)) yield { id, event, data: JSON.parse(data) };
  }
}

/** Returns all events of a stream that ends. */
export async function readWholeStream(response: Response): Promise<readonly ReadEvent[]> {
  const events: ReadEvent[] = [];
  for await (const event of readStream(response)) events.push(event);
  return events;
}
