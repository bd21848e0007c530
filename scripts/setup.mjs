/**
 * Prepares a checkout, doing nothing twice: `node scripts/setup.mjs [packages] [native] [build] [temporal] [browser]`.
 * Without a name it makes all but the browser, which only the long form of the tests needs.
 *
 * Plain Node without dependencies, because it runs before there are any.
 */

import { pathToFileURL } from 'node:url';
import { browser } from './browser.mjs';
import { build } from './build.mjs';
import { native } from './native.mjs';
import { checkNode, packages } from './packages.mjs';
import { main, SetupError, stage } from './stage.mjs';

/** There is one finder, in TypeScript, and it must also work before anything is built. */
async function temporal(say) {
  const { tsImport } = await import('tsx/esm/api');
  const { ensureTemporalCli } = await tsImport('../src/cli/server/temporal-cli.ts', import.meta.url);
  try {
    const { version, source } = await ensureTemporalCli(say);
    return `Temporal CLI ${version} (${source})`;
  } catch (error) {
    throw new SetupError(error.message);
  }
}

/** Each stage may count on those before it. */
const stages = { packages, native, build, temporal, browser };

/**
 * Makes sure of what a command needs; each stage answers with one line on stderr.
 *
 * @param {{ need: ('packages' | 'native' | 'build' | 'temporal' | 'browser')[], quiet?: boolean }} options `quiet`: nothing about what was in place
 */
export async function ensureSetup({ need, quiet = false }) {
  checkNode();
  for (const [name, work] of Object.entries(stages)) {
    if (need.includes(name)) await stage({ quiet }, work);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main(async (args) => {
    const unknown = args.find((name) => !(name in stages));
    if (unknown !== undefined) {
      throw new SetupError(`"${unknown}" is no stage of the set-up; there are ${Object.keys(stages).join(', ')}.`);
    }
    await ensureSetup({ need: args.length > 0 ? args : Object.keys(stages).filter((name) => name !== 'browser') });
    return 0;
  });
}
