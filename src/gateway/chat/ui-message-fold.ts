/** Folds the chunks of a message into its parts, as the AI SDK's clients do: for a page that loads a chat. */

import { type Json, type JsonObject, omitUndefined } from '../../core/lib/index.js';
import type { UiMessageChunk } from './ui-message-chunk.js';

export type UiPart = { readonly type: string } & JsonObject;

/** Returns the parts of a message. */
export function foldChunks(chunks: readonly UiMessageChunk[]): readonly UiPart[] {
  const parts: UiPart[] = [];
  const change = (matches: (part: UiPart) => boolean, members: JsonObject) => {
    const at = parts.findLastIndex(matches);
    const part = parts[at];
    if (part !== undefined) parts[at] = { ...part, ...members };
    return part !== undefined;
  };
  const changeTool = (toolCallId: string, members: JsonObject) =>
    change((part) => part.type === 'dynamic-tool' && part.toolCallId === toolCallId, members);

  for (const chunk of chunks) {
    switch (chunk.type) {
      case 'start-step':
        parts.push({ type: 'step-start' });
        break;
      case 'reset-step':
        parts.splice(parts.findLastIndex(({ type }) => type === 'step-start') + 1);
        break;
      case 'text-start':
        parts.push({ type: 'text', text: '', state: 'streaming' });
        break;
      case 'reasoning-start':
        parts.push({ type: 'reasoning', id: chunk.id, text: '', state: 'streaming' });
        break;
      case 'text-delta':
      case 'reasoning-delta':
        change(isStreaming, { text: `${parts.findLast(isStreaming)?.text ?? ''}${chunk.delta}` });
        break;
      case 'text-end':
      case 'reasoning-end':
        change(isStreaming, { state: 'done' });
        break;
      case 'tool-input-available': {
        const { toolCallId, toolName, input, providerExecuted, title } = chunk;
        const members = { state: 'input-available', toolName, input, providerExecuted };
        if (!changeTool(toolCallId, members))
          parts.push({ type: 'dynamic-tool', toolCallId, ...members, ...omitUndefined({ title }) });
        break;
      }
      case 'tool-approval-request': {
        const { approvalId: id, reason } = chunk;
        const approval = { id, ...omitUndefined({ requestReason: reason }) };
        changeTool(chunk.toolCallId, { state: 'approval-requested', approval });
        break;
      }
      case 'tool-approval-response': {
        const { approvalId: id, approved, reason } = chunk;
        const approval = { id, approved, ...omitUndefined({ reason }) };
        change(({ approval: candidate }) => isApproval(candidate, id), { state: 'approval-responded', approval });
        break;
      }
      case 'tool-output-available':
        changeTool(chunk.toolCallId, { state: 'output-available', output: chunk.output });
        break;
      case 'tool-output-error':
        changeTool(chunk.toolCallId, { state: 'output-error', errorText: chunk.errorText });
        break;
      case 'tool-output-denied':
        changeTool(chunk.toolCallId, { state: 'output-denied' });
        break;
      case 'data-plan':
      case 'data-cost':
      case 'data-question':
      case 'data-agent':
      case 'data-notice': {
        const { type, id } = chunk;
        const data = chunk.data as unknown as JsonObject;
        if (!change((part) => part.type === type && part.id === id, { data })) parts.push({ type, id, data });
        break;
      }
      default:
    }
  }
  return parts;
}

function isStreaming({ state }: UiPart): boolean {
  return state === 'streaming';
}

function isApproval(value: Json | undefined, id: string): boolean {
  return typeof value === 'object' && value !== null && 'id' in value && value.id === id;
}
