/** A gateway in a process of its own. It reports the memory that it needs once nothing more can be collected. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createGateway } from '../../src/gateway/create-gateway.js';
import { serveGateway } from '../../src/gateway/serve.js';

/** What its process is started with: its only argument, as JSON. */
export interface GatewayPlace {
  readonly address: string;
  readonly taskQueue: string;
  readonly port: number;
}

export type GatewayQuestion = 'memory' | 'stop';

export type GatewayAnswer =
  | { readonly type: 'ready'; readonly url: string }
  /** Bytes. */
  | { readonly type: 'memory'; readonly resident: number; readonly heap: number; readonly streams: number };

const unlimited = 1_000_000_000;

// Both sides are ours.
const { address, taskQueue, port } = JSON.parse(process.argv[2] ?? '') as GatewayPlace;
const limits = { requestsPerMinute: unlimited, streamsPerCredential: unlimited };
const ignore = () => {};
const log = {
  ...{ info: ignore, warn: ignore },
  error: (message: string, fields: object = {}) => console.error(message, JSON.stringify(fields)),
};
const gateway = await createGateway({ connection: { address, taskQueue }, store: null, limits, log });
const server = await serveGateway(gateway, { port });

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

process.on('message', (question: GatewayQuestion) => {
  if (question === 'stop') return void server.close().then(() => process.exit(0));
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  send({ type: 'memory', resident: rss, heap: heapUsed + external, streams: gateway.countStreams() });
});
process.once('disconnect', () => process.exit(0));
send({ type: 'ready', url: server.url });

function send(answer: GatewayAnswer): void {
  process.send?.(answer);
}
