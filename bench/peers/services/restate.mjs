/** Restate: a hand-written loop in a handler; the server keeps its journal. */

import * as restate from '@restatedev/restate-sdk';
import { takeStock } from './loop.mjs';
import { readPlaces, serve } from './serve.mjs';

const { modelUrl, servicePort } = readPlaces();

const stock = restate.service({
  name: 'stock',
  handlers: { take: (context, task) => takeStock(modelUrl, task, (name, work) => context.run(name, work)) },
  options: { journalRetention: { hours: 1 }, inactivityTimeout: { minutes: 5 } },
});

await restate.serve({ services: [stock], port: servicePort });
serve({});
