/** Log lines as JSON. */

import { expect, it } from 'vitest';
import { createLogger } from '../../src/entries/worker.js';

it('a line is one JSON object, with any values under any names', async () => {
  let written = '';
  const logger = await createLogger({ write: (text) => (written += text) });
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  logger.info('done\nnow', { durationMs: 5n, attempt: circle, workflowId: 'c-1', rows: 3, big: 7n, msg: 'own' });
  const lines = written.trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    ...{
      level: 'info',
      msg: 'done\nnow',
      msg_: 'own',
      chainId: 'c-1',
      durationMs: '5',
      attempt: '[object Object]',
      rows: 3,
      big: '7',
    },
    time: expect.stringMatching(/^\d{4}-.+Z$/),
  });
});
