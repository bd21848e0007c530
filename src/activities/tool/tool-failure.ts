/** Failures of a tool as failures of its activity. Everything is masked before it leaves the activity. */

import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { failureTypes } from '../../contract/index.js';
import { findErrorName, findStatedName, listStackLines } from '../../core/lib/index.js';
import { createRedactor, type SecretMasker, toSafeErrorMessage } from '../../core/redact/index.js';
import { registeredSecretsMasker } from '../../secrets/index.js';
import { isNamed, listErrorMarks, type Tool } from '../../tools/define/index.js';
import { createFailure } from '../context/failures.js';
import { TimeLimitReached } from './hold-slot.js';

interface FailureContext {
  readonly signal: AbortSignal;
  readonly masker: SecretMasker;
}

/**
 * Converts a thrown value to a failure with its name, its message and its stack. The stack is for developers: the fact has
 * none, and the model sees none.
 */
export function toActivityFailure(tool: Tool, error: unknown, failing: FailureContext): Error {
  try {
    return toToolFailure(tool, error, failing);
  } catch {
    return createFailure('Error', `The error of ${tool.name} cannot be read.`, { retryable: canRepeat(tool) });
  }
}

function toToolFailure(tool: Tool, error: unknown, { signal, masker }: FailureContext): Error {
  const unmasked = toSafeErrorMessage(error);
  const message = masker.text(unmasked);
  if (error instanceof TimeLimitReached) return createFailure('timeout', message, { retryable: canRepeat(tool) });
  // The tool's own sentence states where it stopped: only its cause needs a stack.
  // A repeatable call that was stopped before it happened is cancelled, or repeated by another worker.
  if (isNamed(error, 'NotDone') && !(signal.aborted && canRepeat(tool)))
    return createFailure(failureTypes.notDone, message, {
      ...(listErrorMarks(error).permanent ? { details: { permanent: true } } : {}),
      stack: listToolStack(error, masker, true),
    });
  if (isNamed(error, 'ToolError')) {
    return createFailure(failureTypes.toolError, message, {
      details: listErrorMarks(error),
      stack: listToolStack(error, masker, true),
    });
  }
  if (signal.aborted && canRepeat(tool)) {
    const { reason } = signal;
    if (reason instanceof CancelledFailure && !reason.message.includes('WORKER_SHUTDOWN')) return reason;
  }
  const retryable = canRepeat(tool);
  if (!(error instanceof Error)) return createFailure('Error', message, { retryable });
  const options = { retryable, stack: listToolStack(error, masker) };
  const type = findErrorName(error);
  if (type !== null) return createFailure(masker.text(type), message, options);
  // A failure's type is neither masked nor encrypted: a name that may be data belongs to the message.
  const name = findStatedName(error);
  return createFailure('Error', name === null ? message : masker.text(`${name}: ${unmasked}`), options);
}

/** The callers of a tool's `execute`, in the source and in the build (scripts/bundle.mjs). */
export const ownFrame =
  /[\\/](?:activities[\\/]tool[\\/](?:run|execute)-tool\.ts|tools[\\/]define[\\/]define-tool\.ts|chunks[\\/](?:run|execute|define)-tool-[\w-]+\.js|tools[\\/]isolation[\\/][\w-]+\.[jt]s)/;

/** Returns the frames down to the tool's `execute`: the others are Longhand's. Secrets are also masked by their form. */
function listToolStack(error: Error, masker: SecretMasker, causesOnly = false): readonly string[] {
  const redactor = createRedactor();
  const mask = (text: string) => redactor.text(registeredSecretsMasker.text(masker.text(text)));
  return listStackLines(error, { mask, until: ownFrame, causesOnly });
}

/** A call that asked a person runs again, and is paid then. */
export function wasNotDone(error: unknown): boolean {
  if (!(error instanceof ApplicationFailure)) return false;
  return error.type === failureTypes.notDone || error.type === failureTypes.questionAsked;
}

export function canRepeat(tool: Tool): boolean {
  return tool.snapshot.effects !== 'unsafe';
}
