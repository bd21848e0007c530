/** `npm run bench -- <case>… [--smoke]`: sets up what is missing, then measures. Only the result goes to stdout. */

import { root, run } from './child.mjs';
import { ensureSetup } from './setup.mjs';
import { main } from './stage.mjs';

await main(async (args) => {
  await ensureSetup({ need: ['packages', 'native', 'temporal'], quiet: true });
  return run(process.execPath, ['--import', 'tsx', `${root}bench/main.ts`, ...args]);
});
