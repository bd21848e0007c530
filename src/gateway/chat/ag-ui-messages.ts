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
  readonly list: () => readonly AgUiOwnMessage[];
}

/** @param given messages of the client. Those that a stream makes again stay as the client has them. */
export function createMessageLog(given: readonly AgUiOwnMessage[]): MessageLog {
  const messages = new Map<string, AgUiOwnMessage>();
  const find = (id: string): AssistantMessage => {
    const found = messages.get(id);
    return found !== undefined && isAssistant(found) ? found : { id, role: 'assistant' };
  };
  return {
    add: (message) => void messages.set(message.id, message),
    addText: (id, text) => {
      const found = find(id);
      messages.set(id, { ...found, content: (found.content ?? '') + text });
    },
    addCall: (id, call) => {
      const found = find(id);
      messages.set(id, { ...found, toolCalls: [...(found.toolCalls ?? []), call] });
    },
    remove: (id) => void messages.delete(id),
    list: () => {
      const known = new Set(given.map(({ id }) => id));
      return [...given, ...[...messages.values()].filter(({ id }) => !known.has(id))];
    },
  };
}

function isAssistant(message: AgUiOwnMessage): message is AssistantMessage {
  return message.role === 'assistant';
}
