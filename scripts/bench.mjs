/** `npm run bench -- <case>… [--smoke]`, `-- against [<ref>]`: sets up what is missing, then measures. Only the result goes to stdout. */

import { root, run } from './child.mjs';
import { ensureSetup } from './setup.mjs';
import { main } from './stage.mjs';

await main(async (args) => {
  // A comparison imports the entries of the package, and replays with the bundle of its build; some cases run deployed workers.
  const built = args.some((arg) => ['against', 'all', 'many', 'workers', 'waiting'].includes(arg)) ? ['build'] : [];
  await ensureSetup({ need: ['packages', 'native', 'temporal', ...built], quiet: true });
  return run(process.execPath, ['--import', 'tsx', `${root}bench/main.ts`, ...args]);
});
