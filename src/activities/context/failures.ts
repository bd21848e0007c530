/** Failures as Temporal records them. */

import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { failureTypes, isRequeueFailure } from '../../contract/index.js';
import { type Json, shorten, toPlainText } from '../../core/lib/index.js';
import { formatKnownAgents } from '../../core/model/index.js';
import { listNearestAgents, type RegisteredAgent } from '../../store/index.js';
import type { Dependencies } from './dependencies.js';

/** Most characters of a message in the history. */
const maxMessageCharacters = 4_000;
/** Characters of the message above a stack. */
const maxHeadCharacters = 200;

interface FailureOptions {
  readonly retryable?: boolean;
  readonly details?: Json;
  /** Lines of a stack, masked and bounded. Default: none. The failure's own stack would only enlarge the history. */
  readonly stack?: readonly string[];
}

/** Returns a failure with a type, a message and a stack safe for terminals. */
export function createFailure(type: string, message: string, options: FailureOptions = {}): ApplicationFailure {
  const made = ApplicationFailure.create({
    type: toPlainText(type),
    message: shorten(toPlainText(message), maxMessageCharacters),
    nonRetryable: !options.retryable,
    // Neither the SDK's log nor its metric of failures has them (report-requeues.ts).
    ...(isRequeueFailure(type) || type === failureTypes.needsActivity
      ? { category: ApplicationFailureCategory.BENIGN }
      : {}),
    ...(options.details === undefined ? {} : { details: [options.details] }),
  });
  // Loggers print the stack in place of the message.
  if (options.stack === undefined || options.stack.length === 0) made.stack = '';
  else
    made.stack = [`${made.type}: ${shorten(made.message, maxHeadCharacters)}`, ...options.stack]
      .map(toPlainText)
      .join('\n');
  return made;
}

/** Returns the agents of a worker as the store has them. */
export function toRegisteredAgents(agents: Dependencies['agents']): readonly RegisteredAgent[] {
  return [...agents.values()].map(({ name, tenants }) => ({ name, isOwned: tenants !== null }));
}

/**
 * Another worker of the task queue may have the agent: the chain offers the operation again (core/engine/requeue.ts).
 * @param agents those that workers have; @param details for the fact of the failure, such as what the worker knows about the server
 */
export function createUnknownAgentFailure(
  agents: readonly RegisteredAgent[],
  name: string,
  details: { readonly [member: string]: Json } = {},
): ApplicationFailure {
  const has = listNearestAgents(name, agents);
  const message = `This worker has no agent named ${name}. ${formatKnownAgents(has)}`;
  return createFailure(failureTypes.unknownAgent, message, { details: { ...details, agents: has } });
}

/** Another worker of the task queue may have the tool. The details are as above. */
export function createUnknownToolFailure(agent: string, tool: string, details?: Json): ApplicationFailure {
  const message = `This worker has no tool named ${tool} for agent ${agent}; the call did not run.`;
  return createFailure(failureTypes.unknownTool, message, details === undefined ? {} : { details });
}

/**
 * Another worker of the task queue may have the provider.
 * @param provider its name; @param message names those of this worker
 */
export function createUnknownProviderFailure(provider: string, message: string): ApplicationFailure {
  return createFailure(failureTypes.unknownProvider, message, { details: { provider } });
}

/** Another worker of the task queue may reach the source, and this one may later. */
export function createUnreachableSourceFailure(
  { source, message }: { readonly source: string; readonly message: string },
  details: { readonly [member: string]: Json } = {},
): ApplicationFailure {
  return createFailure(failureTypes.unreachableSource, `The source of tools ${source} cannot be reached. ${message}`, {
    details: { ...details, source },
  });
}
