/** A follower continues after a restart of the server: it repeats no event, and misses none. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startDevServer } from '../../../src/cli/server/dev-server.js';
import { connect, type FollowEvent } from '../../../src/entries/client.js';
import { defineAgent } from '../../../src/index.js';
import { startMessagesServer } from '../../support/messages-server.js';
import { startWorkerAt } from '../../support/worker-at.js';
import '../../support/runtime.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-restart-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const agent = defineAgent({
  name: 'patient',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  // Its call runs on while the server is away.
  modelHeartbeatTimeout: '1m',
  limits: { time: '5m' },
});

describe('a follower', () => {
  it('continues after a restart of the server', async () => {
    const dbFile = join(folder, 'temporal.db');
    const models = await startMessagesServer([{ hang: true, afterEvents: 2 }, { text: 'All done.' }]);
    let server = await startDevServer({ headless: true, dbFile });
    const port = Number(server.address.split(':')[1]);
    const longhand = await connect({ address: server.address });
    const running = await startWorkerAt(server.address, agent, models.url);
    try {
      const chain = await longhand.start(agent, 'wait');
      const events: FollowEvent[] = [];
      const following = (async () => {
        for await (const event of chain.follow()) events.push(event);
      })();
      while (!events.some(({ type }) => type === 'agent-prepared')) await new Promise((next) => setTimeout(next, 20));
      await server.stop();
      server = await startDevServer({ headless: true, dbFile, port });
      await chain.cancel({ by: 'Ada' });
      await following;
      expect(events.map(({ type }) => type)).toEqual([
        'chain-started',
        'agent-prepared',
        'notice-added',
        'chain-ended',
      ]);
      expect(events.at(-1)).toMatchObject({ result: { outcome: 'cancelled' } });
    } finally {
      await running.stop();
      await longhand.close();
      await server.stop();
      await models.close().catch(() => {});
    }
  });
});
