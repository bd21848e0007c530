/** `npm run bench -- <case>`: sets up what is missing, then measures. Nothing but the result on stdout. */

import { root, run } from './child.mjs';
import { ensureSetup } from './setup.mjs';
import { main } from './stage.mjs';

await main(async (args) => {
  await ensureSetup({ need: ['packages', 'native', 'temporal'], quiet: true });
  return run(process.execPath, ['--import', 'tsx', `${root}bench/main.ts`, ...args]);
});
