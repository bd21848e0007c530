/**
 * Prepares a checkout: `node scripts/setup.mjs [packages] [native] [build] [temporal] [browser] [litellm] [python]
 * [server] [hadolint]`. Skips what is in place. Without names: all stages but those from `browser` on, which only the long form
 * of the tests needs.
 *
 * Plain Node: it runs before any package is installed.
 */

import { pathToFileURL } from 'node:url';
import { browser } from './browser.mjs';
import { build } from './build.mjs';
import { hadolint } from './hadolint.mjs';
import { litellm } from './litellm.mjs';
import { native } from './native.mjs';
import { checkNode, packages } from './packages.mjs';
import { python } from './python.mjs';
import { server } from './server.mjs';
import { main, SetupError, stage } from './stage.mjs';

/** Loads the TypeScript source: nothing may be built yet. */
async function temporal(announce) {
  const { tsImport } = await import('tsx/esm/api');
  const { ensureTemporalCli } = await tsImport('../src/cli/server/temporal-cli.ts', import.meta.url);
  try {
    const { version, source } = await ensureTemporalCli(announce);
    return `Temporal CLI ${version} (${source})`;
  } catch (error) {
    throw new SetupError(error.message);
  }
}

/** In order: a stage may need those before it. */
const stages = { packages, native, build, temporal, browser, litellm, python, server, hadolint };

/** Only the long form of the tests needs them. */
const forLongForm = ['browser', 'litellm', 'python', 'server', 'hadolint'];

/**
 * Prepares what a command needs.
 *
 * @param {{ need: ('packages' | 'native' | 'build' | 'temporal' | 'browser' | 'litellm' | 'python' | 'server' | 'hadolint')[], quiet?: boolean }} options `quiet`: prints nothing about stages that were in place
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
      throw new SetupError(`Unknown stage "${unknown}"; expected ${Object.keys(stages).join(', ')}.`);
    }
    await ensureSetup({
      need: args.length > 0 ? args : Object.keys(stages).filter((name) => !forLongForm.includes(name)),
    });
    return 0;
  });
}
