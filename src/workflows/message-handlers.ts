/**
 * Messages of people to the chain: updates, and signals in their place. A message that cannot be taken is refused before it
 * is accepted, and leaves no event; a signal is always in the history, and readers are shown its effect.
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
import { type MessageName, parseMessage, parseRoles, toMessageFact } from '../contract/messages.js';
import { failureTypes, messageNames } from '../contract/names.js';
import { validateCancel, validateCommand } from '../core/engine/validate-command.js';
import { toPlainText } from '../core/lib/plain-text.js';
import type { ChainState } from '../core/model/state.js';
import type { TaskInbox } from './task-inbox.js';

/** @param state as the last turn left it */
export function registerMessageHandlers(inbox: TaskInbox, state: () => ChainState): void {
  takeBufferedSignals((name, said) => hear('signal', name, said));
  for (const [message, description] of Object.entries(messageDescriptions)) {
    const name = messageNames[message as MessageName];
    setHandler(defineSignal<[unknown]>(name), (said) => hear('signal', name, said), { description });
    setHandler(defineUpdate<void, [unknown]>(name), (said) => hear('update', name, said), {
      description,
      validator: (said) => refuse(name, said),
    });
  }
  CancellationScope.current().cancelRequested.catch(() =>
    inbox.put('cancel', (at) => ({ type: 'cancelRequested', at, id: null, by: null, reason: null, summarize: false })),
  );

  function hear(kind: 'signal' | 'update', name: string, said: unknown): void {
    const message = parseMessage(name, said, kind === 'update' ? findUpdateId() : null);
    if (message !== null) inbox.put(kind, (at) => toMessageFact(message, at));
  }

  function refuse(name: string, said: unknown): void {
    const message = parseMessage(name, said, findUpdateId());
    if (message === null) return;
    const rejection =
      message.type === 'cancelRequested'
        ? validateCancel(state(), { by: message.by, roles: parseRoles(said) })
        : validateCommand(state(), inbox.peek(), message, Date.now());
    if (rejection === null) return;
    const { code, message: text } = rejection;
    throw ApplicationFailure.create({
      type: failureTypes.commandRejected,
      message: toPlainText(text),
      details: [code],
      nonRetryable: true,
    });
  }
}

/**
 * Hands over what came before the first task, in the order in which it came: handlers of single names would sort it by name.
 *
 * L7: for a signal of a reserved name (`__temporal_…`) the SDK throws as long as such a handler is set, in each try of the
 * task. So it is set until nothing waits, and each signal that it throws for has been taken from those that wait.
 */
function takeBufferedSignals(handler: (name: string, said: unknown) => void): void {
  for (let waiting = true; waiting; ) {
    try {
      setDefaultSignalHandler(handler);
      waiting = false;
    } catch {}
  }
  setDefaultSignalHandler(undefined);
}

/** Both sides of a history know it. */
function findUpdateId(): string | null {
  return currentUpdateInfo()?.id ?? null;
}

/** Descriptions that Temporal's own tools show beside the name of a message: its effect, and its content. */
export const messageDescriptions: { readonly [name in MessageName]: string } = {
  approve: 'Lets a call run: {"call":"3.1","by":"you"}; also "input", "always": true',
  deny: 'Does not let a call run: {"call":"3.1","by":"you","reason":"…"}',
  answer: 'Answers a question, or in a tool\'s stead: {"call":"3.1","answer":"…","by":"you"}',
  outcome: 'Of a call in doubt: {"call":"3.1","outcome":"happened","by":"you"}, "not_happened" or "give_up"',
  steer: 'Tells the agent something, at its next step: {"text":"…","by":"you"}',
  pause: 'Pauses before the next step: {"by":"you"}; "at": {"step":5}, {"costUsd":0.5} or {"tool":"git_push"}',
  resume: 'Lets a paused chain go on: {"by":"you"}',
  limit: 'Raises limits: {"limits":{"steps":20},"by":"you"}',
  cancel: 'Ends the chain: {"by":"you","reason":"…"}; "summarize": true; a second one is at once',
};
