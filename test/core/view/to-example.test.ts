/** A finished chain as an example for a `react` agent. */

import { describe, expect, it } from 'vitest';
import { buildReasoning } from '../../../src/core/view/build-reasoning.js';
import { createViewer, defineAgent, defineTool, toExample, view } from '../../../src/index.js';
import { answers, asks, look, poll, toolFailure, unreadable } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';
