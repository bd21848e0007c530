/** The blocks of a reply as a viewer may see them (L8): of the prompt of a later call, and of a reply that could not be parsed. */

import type { ReplyBlock } from '../model/index.js';
import type { ChainMasker, ToolRef } from './chain-masker.js';
import { canReadTokens } from './token-filter.js';
import type { ViewScene } from './visibility.js';
import { canReadInternals, findToolView } from './visibility-level.js';

/** The tool of a call, by its name, as its sensitive paths need it. */
export type ToToolRef = (tool: string) => ToolRef;

export function createToToolRef(scene: ViewScene): ToToolRef {
  return (tool) => ({ tool, toolKind: findToolView(scene, tool)?.kind ?? 'external' });
}

/** Whether the viewer reads a reply that could not be parsed. It may be a thought, a call or an answer, like its tokens. */
export function canReadReply(step: number, scene: ViewScene): boolean {
  return canReadInternals(scene) && canReadTokens(step, scene);
}

export function maskReplyBlock(block: ReplyBlock, mask: ChainMasker, toRef: ToToolRef): ReplyBlock {
  switch (block.type) {
    case 'text':
      return { ...block, text: mask.text(block.text) };
    case 'thinking':
      return { ...block, thinking: mask.text(block.thinking) };
    case 'redacted_thinking':
      return block;
    case 'tool_use':
      return { ...block, name: mask.text(block.name), input: mask.value(block.input, toRef(block.name)) };
  }
}
