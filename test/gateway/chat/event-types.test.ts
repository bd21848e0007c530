/** What the chat protocols send has the types of their own packages, which the gateway does not need. */

import type { AGUIEvent } from '@ag-ui/core';
import type * as sdk6 from 'ai';
import type * as sdk7 from 'ai-7';
import { expectTypeOf, it } from 'vitest';
import type { AgUiEvent } from '../../../src/gateway/chat/ag-ui-event.js';
import type { UiMessageChunk } from '../../../src/gateway/chat/ui-message-chunk.js';

/** A type as JSON has it: the values of an enum are texts. */
type Wire<T> = T extends string
  ? `${T}`
  : T extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]: Wire<T[Name]> }
      : T;

/** A client of version 6 gets none of these chunks. */
type Of7 = { readonly type: 'start-step' | 'finish-step' | 'reset-step' } | { readonly type: 'tool-approval-response' };

it('chunks are those of the AI SDK', () => {
  expectTypeOf<UiMessageChunk>().toExtend<sdk7.UIMessageChunk>();
  expectTypeOf<Exclude<UiMessageChunk, Of7>>().toExtend<sdk6.UIMessageChunk>();
});

it('events are those of AG-UI', () => {
  // A snapshot repeats messages as the client sent them.
  expectTypeOf<Exclude<AgUiEvent, { readonly type: 'MESSAGES_SNAPSHOT' }>>().toExtend<Wire<AGUIEvent>>();
});
