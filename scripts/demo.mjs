/** `npm run demo`: sets up what is missing, then runs the demo in this process, with its exit code and its Ctrl-C. */

import { ensureSetup } from './setup.mjs';
import { main } from './stage.mjs';

await main(async (args) => {
  // With TEMPORAL_ADDRESS, no server is started.
  const server = process.env.TEMPORAL_ADDRESS ? [] : ['temporal'];
  await ensureSetup({ need: ['packages', 'native', 'build', ...server] });
  process.argv.splice(2, Infinity, 'demo', ...args);
  await import('../bin/longhand.js');
});
