/** Finds the installed Chromium or Chrome for tests of Temporal's Web UI. `CHROME_PATH` overrides it. */

import { existsSync } from 'node:fs';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

export function findBrowser(): string | undefined {
  const named = process.env.CHROME_PATH;
  return (named ? [named] : places).find((path) => existsSync(path));
}
