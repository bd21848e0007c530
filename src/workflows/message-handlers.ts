/**
 * Handles messages of people: updates, and signals in their place. An invalid update is rejected before it is accepted,
 * and leaves no event; a signal is always in the history, and readers see its effect.
 */

import {
  ApplicationFailure,
  CancellationScope,
  currentUpdateInfo,
  defineSignal,
  defineUpdate,
  setDefaultSignalHandler,
  setHandler,
} from '@temporalio/workflow';
import {
  failureTypes,
  type MessageName,
  messageNames,
  parseMessage,
  parseRoles,
  toMessageFact,
} from '../contract/index.js';
import { validateCancel, validateCommand } from '../core/engine/index.js';
import { formatCount, toPlainText } from '../core/lib/index.js';
import { type ChainState, defaults, type Rejection } from '../core/model/index.js';
import type { TaskInbox } from './task-inbox.js';

/** @param state the state after the last turn */
export function registerMessageHandlers(inbox: TaskInbox, state: () => ChainState): void {
  takeBufferedSignals((name, value) => receive('signal', name, value));
  for (const [message, description] of Object.entries(messageDescriptions)) {
    const name = messageNames[message as MessageName];
    setHandler(defineSignal<[unknown]>(name), (value) => receive('signal', name, value), { description });
    setHandler(defineUpdate<void, [unknown]>(name), (value) => receive('update', name, value), {
      description,
      validator: (value) => reject(name, value),
    });
  }
  CancellationScope.current().cancelRequested.catch(() =>
    inbox.put('cancel', (at) => ({ type: 'cancelRequested', at, id: null, by: null, reason: null, summarize: false })),
  );

  function receive(kind: 'signal' | 'update', name: string, value: unknown): void {
    const message = parseMessage(name, value, kind === 'update' ? findUpdateId() : null);
    if (message !== null) inbox.put(kind, (at) => toMessageFact(message, at));
  }

  function reject(name: string, value: unknown): void {
    const message = parseMessage(name, value, findUpdateId());
    if (message === null) return;
    const rejection =
      message.type === 'cancelRequested'
        ? validateCancel(state(), { by: message.by, roles: parseRoles(value) })
        : (findFullQueue() ?? validateCommand(state(), inbox.peek(), message, Date.now()));
    if (rejection === null) return;
    const { code, message: text } = rejection;
    throw ApplicationFailure.create({
      type: failureTypes.commandRejected,
      message: toPlainText(text),
      details: [code],
      nonRetryable: true,
    });
  }

  /** Validation applies the waiting messages first, which costs as much as their turn. */
  function findFullQueue(): Rejection | null {
    const count = inbox.countMessages();
    if (count < defaults.messagesPerTurn) return null;
    return { code: 'queue_full', message: `${formatCount(count)} commands wait for the chain. Try again in a moment.` };
  }
}

/**
 * Delivers signals from before the first task in order of arrival: handlers of single names would sort them by name.
 *
 * L7: for a signal of a reserved name (`__temporal_…`) the SDK throws while such a handler is set, in each attempt of
 * the task. So it is set until no signal waits; each signal that it throws for has been removed by then.
 */
function takeBufferedSignals(handler: (name: string, value: unknown) => void): void {
  for (let waiting = true; waiting; ) {
    try {
      setDefaultSignalHandler(handler);
      waiting = false;
    } catch {}
  }
  setDefaultSignalHandler(undefined);
}

/** Returns the update's id, which the history contains. */
function findUpdateId(): string | null {
  return currentUpdateInfo()?.id ?? null;
}

/** Descriptions of messages in Temporal's own tools: effect and content. */
export const messageDescriptions: { readonly [name in MessageName]: string } = {
  approve: 'Approves a call: {"call":"3.1","by":"you"}; also "input", "always": true',
  deny: 'Denies a call: {"call":"3.1","by":"you","reason":"…"}',
  answer: 'Answers a question, or a call instead of its tool: {"call":"3.1","answer":"…","by":"you"}',
  outcome: 'Resolves an unknown outcome: {"call":"3.1","outcome":"happened","by":"you"}, "not_happened" or "give_up"',
  steer: 'Sends the agent a message for its next step: {"text":"…","by":"you"}',
  pause: 'Pauses before the next step: {"by":"you"}; "at": {"step":5}, {"costUsd":0.5} or {"tool":"git_push"}',
  resume: 'Resumes a paused chain: {"by":"you"}; with "call": "3.1", ends the wait of that call',
  limit: 'Raises limits: {"limits":{"steps":20},"by":"you"}',
  signal: 'Ends the wait of a call for this signal, or is kept for it: {"name":"build-done","data":{},"by":"you"}',
  cancel: 'Ends the chain: {"by":"you","reason":"…"}; "summarize": true; a second cancel is immediate',
};
