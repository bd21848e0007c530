/** The messages that a client of AG-UI has: a message that it must forget is removed by sending all others. */

import type { AgUiOwnMessage } from './ag-ui-event.js';

type AssistantMessage = Extract<AgUiOwnMessage, { readonly role: 'assistant' }>;
type ToolCall = NonNullable<AssistantMessage['toolCalls']>[number];

export interface MessageLog {
  readonly add: (message: AgUiOwnMessage) => void;
  /** Appends to a message of the assistant. */
  readonly addText: (id: string, text: string) => void;
  readonly addCall: (id: string, call: ToolCall) => void;
  readonly remove: (id: string) => void;
  /** Forgets what was added: the client has these messages already. */
  readonly clear: () => void;
  readonly list: () => readonly AgUiOwnMessage[];
}

/** @param agUiOwnMessages messages of the client */
export function createMessageLog(agUiOwnMessages: readonly AgUiOwnMessage[]): MessageLog {
  const messages = new Map<string, AgUiOwnMessage>();
  const find = (id: string): AssistantMessage => {
    const message = messages.get(id);
    return message !== undefined && isAssistant(message) ? message : { id, role: 'assistant' };
  };
  return {
    add: (message) => void messages.set(message.id, message),
    addText: (id, text) => {
      const message = find(id);
      messages.set(id, { ...message, content: (message.content ?? '') + text });
    },
    addCall: (id, call) => {
      const message = find(id);
      messages.set(id, { ...message, toolCalls: [...(message.toolCalls ?? []), call] });
    },
    remove: (id) => void messages.delete(id),
    clear: () => messages.clear(),
    list: () => {
      const known = new Set(agUiOwnMessages.map(({ id }) => id));
      const added = [...messages.values()].filter(({ id }) => !known.has(id));
      return [...agUiOwnMessages.map((message) => messages.get(message.id) ?? message), ...added];
    },
  };
}

function isAssistant(message: AgUiOwnMessage): message is AssistantMessage {
  return message.role === 'assistant';
}
