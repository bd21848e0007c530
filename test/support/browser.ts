/** A Chromium or Chrome that is installed, for the tests that look at Temporal's Web UI: `CHROME_PATH` names another. */

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
