/**
 * The past of a chain at the start of a run: what views of its newest steps need of the steps before. Carried from run to run, so
 * that a reader can begin at the last run's start.
 */

import { isObject } from '../lib/index.js';
import type { CallStatus, Chain, PersonMessage, Step } from './chain.js';
import type { Notice } from './notice.js';

/** Calls of one tool with one status, in steps that are only counted. */
export interface CallCount {
  readonly tool: string;
  readonly status: CallStatus;
  readonly calls: number;
  /** Records that their results report. */
  readonly records: number;
  /** The first step with such a call. */
  readonly first: number;
}

export interface Past {
  /** `pastVersion` of the worker that collected it. */
  readonly version: number;
  /** In the order of their first calls. */
  readonly counts: readonly CallCount[];
  /** Steps that are kept whole, the last one included. */
  readonly steps: readonly Step[];
  readonly notices: readonly Notice[];
  readonly messages: readonly PersonMessage[];
  readonly pausedContent: Chain['pausedContent'];
}

/** Raise it where the redactor finds more than before: texts that it did not find were only counted. */
export const pastVersion = 1;

/** Whether a value of a run's start has the shape of a past. Its items are those of a workflow of the same version. */
export function isPast(value: unknown): value is Past {
  if (!isObject(value)) return false;
  const { counts, steps, notices, messages, pausedContent } = value;
  return [counts, steps, notices, messages, pausedContent].every(Array.isArray);
}

export const emptyPast: Past = {
  version: pastVersion,
  counts: [],
  steps: [],
  notices: [],
  messages: [],
  pausedContent: [],
};
