/** `npm run histories`: sets up what is missing, then records the stored histories of test/histories again. */

import { root, run } from './child.mjs';
import { ensureSetup } from './setup.mjs';
import { main } from './stage.mjs';

await main(async () => {
  await ensureSetup({ need: ['packages', 'native', 'temporal'], quiet: true });
  return run(process.execPath, ['--import', 'tsx', `${root}test/histories/record.ts`]);
});
