#!/usr/bin/env node
/** The `longhand` command: starts `@longhand/cli` of the working directory, else the one that is installed beside this package. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

function findCommand() {
  for (const from of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      return join(dirname(createRequire(from).resolve('@longhand/cli/package.json')), 'dist/src/cli/main.js');
    } catch {
      // Not installed there.
    }
  }
  return null;
}

const path = findCommand();
if (path !== null && existsSync(path)) {
  const { runProcess } = await import(pathToFileURL(path).href);
  await runProcess();
} else {
  process.stderr.write(
    path === null
      ? 'The longhand command needs the package @longhand/cli: npm install @longhand/cli\n'
      : 'Longhand is not built yet: run `npm run build` in its checkout.\n',
  );
  process.exitCode = 1;
}
