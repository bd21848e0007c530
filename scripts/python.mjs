/** Stage `python`: Temporal's SDK for Python in a virtual environment, for the tests with workers in another language. */

import { defineVenv } from './venv.mjs';

export const { findPython: findTemporalPython, install: python } = defineVenv({
  package: 'temporalio',
  label: "Temporal's SDK for Python",
  cost: 'a few seconds, 75 MB',
});
