/** Stage `litellm`: LiteLLM's proxy in a virtual environment of Python, for the tests that run it. */

import { defineVenv } from './venv.mjs';

export const {
  getFolder: getLitellmFolder,
  findPython: findLitellmPython,
  install: litellm,
} = defineVenv({
  package: 'litellm',
  extra: '[proxy]',
  label: "LiteLLM's proxy",
  cost: 'one or two minutes, 750 MB',
});
