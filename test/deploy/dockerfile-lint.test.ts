/** The Dockerfile under hadolint, which the set-up installs for the long form. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** Plain JavaScript without types. */
const { findHadolint } = (await import(new URL('../../scripts/hadolint.mjs', import.meta.url).href)) as {
  readonly findHadolint: () => string | null;
};
const hadolint = findHadolint();
const lack = hadolint === null ? ' (skipped: `node scripts/setup.mjs hadolint` has not installed it)' : '';

describe.skipIf(hadolint === null)(`hadolint${lack}`, () => {
  it('reports nothing about the Dockerfile', async () => {
    const file = fileURLToPath(new URL('../../Dockerfile', import.meta.url));
    expect((await promisify(execFile)(hadolint!, ['--failure-threshold', 'none', file])).stdout).toBe('');
  });
});
