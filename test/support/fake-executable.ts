/** Executables for a single test. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a shell script that prints `output` for any arguments. Returns its path. */
export function fakeExecutable(path: string, output: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho '${output}'\n`, { mode: 0o755 });
  return path;
}
