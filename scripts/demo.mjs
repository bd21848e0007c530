/** `npm run demo`: sets up what is missing, then runs the demo in this process, with its exit code and its Ctrl-C. */

import { ensureSetup } from './setup.mjs';
import { main } from './stage.mjs';

await main(async (args) => {
  // With a server of one's own there is none to start.
  const server = process.env.TEMPORAL_ADDRESS ? [] : ['temporal'];
  await ensureSetup({ need: ['packages', 'build', ...server] });
  process.argv.splice(2, Infinity, 'demo', ...args);
  await import('../bin/longhand.js');
});
