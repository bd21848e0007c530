/** Stage `browser`: a Chromium for the tests of the Web UI, which run in the long form. Debian's package is installed as root. */

import { existsSync } from 'node:fs';
import { capture } from './child.mjs';
import { SetupError } from './stage.mjs';

export async function browser(announce) {
  const { tsImport } = await import('tsx/esm/api');
  const { findBrowser } = await tsImport('../test/support/browser.ts', import.meta.url);
  const found = findBrowser();
  if (found !== undefined) return `browser ${found}`;
  if (!existsSync('/usr/bin/apt-get') || process.getuid() !== 0) {
    throw new SetupError('No Chromium or Chrome was found. Install one, or set CHROME_PATH to its executable.');
  }
  announce("installing Debian's package chromium (may take a minute)");
  for (const args of [['update'], ['install', '--yes', '--no-install-recommends', 'chromium']]) {
    const { code, output } = await capture('apt-get', args);
    if (code !== 0) throw new SetupError(`apt-get ${args.join(' ')} failed:\n${output.trim()}`);
  }
  return 'browser installed';
}
