#!/usr/bin/env node
/** The `longhand` command: what `npm run build` made of src/cli/main.ts. */

import { existsSync } from 'node:fs';

const main = new URL('../dist/src/cli/main.js', import.meta.url);
if (existsSync(main)) {
  const { runProcess } = await import(main.href);
  await runProcess();
} else {
  process.stderr.write('Longhand is not built yet: run `npm run build` in its checkout.\n');
  process.exitCode = 1;
}
