/** The workflows that are there without being written. */

import { debugBug } from './debug-bug.js';
import type { Workflow } from './define-workflow.js';
import { implementFeature } from './implement-feature.js';
import { refactorCode } from './refactor-code.js';

export const builtInWorkflows: readonly Workflow[] = [debugBug, implementFeature, refactorCode];
