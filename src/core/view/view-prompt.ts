/**
 * The prompt of a model call as its viewer may see it (L8). It repeats everything before it: task, thoughts, calls, results.
 *
 * P1 An auditor sees the original; a developer sees it masked, like the steps. Nobody else sees a prompt.
 * P2 A developer sees it only if every step before it is visible in full, and so is its task.
 * P3 No path leads into a text. A developer sees no prompt of a chain with a sensitive value that is too short to be
 *    masked in texts.
 */

import { isObject, type Json, LonghandError, toCanonicalJson } from '../lib/index.js';
import type { FileBlock, ModelMessage, ModelRequest, Prompt, UserBlock } from '../model/index.js';
import { toPathTarget } from '../redact/index.js';
import { type ChainMasker, createCountingMasker, hasShortSensitiveTexts, type ToolRef } from './chain-masker.js';
import type { Reasoning } from './reasoning.js';
import { type MaskedView, viewWithMask } from './view.js';
import { createToToolRef, maskReplyBlock, type ToToolRef } from './view-reply.js';
import { maskFile } from './view-step.js';
import type { Viewer, VisibilityConfig } from './visibility.js';
import { canSeeAll } from './visibility-level.js';

/** @throws {LonghandError} `not_visible` */
export function viewPrompt(
  reasoning: Reasoning,
  prompt: Prompt,
  viewer: Viewer,
  config: VisibilityConfig = {},
): Prompt {
  const view = viewWithMask(reasoning, viewer, config);
  if (canSeeAll(view.scene)) return prompt;
  const problem = findHiddenPart(reasoning, prompt, view);
  if (problem !== null) {
    throw new LonghandError(
      'not_visible',
      `The prompt of ${prompt.call} is not visible to the role ${viewer.role}: ${problem}. An auditor of the tenant sees it.`,
    );
  }
  if (prompt.kind === 'missing') return prompt;
  const mask = createCountingMasker(view.mask);
  const request = maskRequest(prompt.request, mask, createToToolRef(view.scene));
  return { ...prompt, request, digests: mask.marks() === 0 ? prompt.digests : null };
}

/** Returns the end of a sentence, or null for a prompt that is visible. */
function findHiddenPart(
  { steps }: Reasoning,
  { step, ...prompt }: Prompt,
  { chain, scene, isTaskVisible }: MaskedView,
): string | null {
  if (scene.viewer.role !== 'developer') return 'prompts are for developers and auditors';
  if (!isTaskVisible || chain.pathLevel !== undefined) return 'it contains a task that the role does not see';
  if (chain.earlier?.messages.some(({ text }) => text === null))
    return 'it contains earlier messages that the role does not see';
  const isBefore = ({ number }: { readonly number: number }) =>
    number < step || (prompt.kind === 'sent' && prompt.purpose !== 'step');
  const hidden = chain.steps.find((step) => isBefore(step) && step.level !== 'full');
  if (hidden !== undefined) return `it contains ${hidden.id}, which the role does not see in full`;
  return hasShortSensitiveTexts(steps.filter(isBefore), scene)
    ? 'it contains a sensitive value that is too short to be masked in text'
    : null;
}

function maskRequest(request: ModelRequest, mask: ChainMasker, toRef: ToToolRef): ModelRequest {
  const uses = request.messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_use' ? [[block.id, toRef(block.name)] as const] : [])),
  );
  const refs = new Map(uses);
  return {
    ...request,
    system: mask.text(request.system),
    messages: request.messages.map(
      (message): ModelMessage =>
        message.role === 'assistant'
          ? { role: 'assistant', content: message.content.map((block) => maskReplyBlock(block, mask, toRef)) }
          : { role: 'user', content: message.content.map((block) => maskUserBlock(block, mask, refs)) },
    ),
    tools: request.tools.map((tool) => ({ ...tool, description: mask.text(tool.description) })),
  };
}

function maskUserBlock(block: UserBlock, mask: ChainMasker, refs: ReadonlyMap<string, ToolRef>): UserBlock {
  if (block.type === 'text') return { ...block, text: mask.text(block.text) };
  if (block.type === 'file') return maskFileBlock(block, mask);
  const tool = refs.get(block.tool_use_id);
  return {
    ...block,
    content: maskResultText(block.content, (value) => mask.value(value, tool)),
    ...(block.files === undefined ? {} : { files: block.files.map((file) => maskFileBlock(file, mask)) }),
  };
}

function maskFileBlock({ type, file }: FileBlock, mask: ChainMasker): FileBlock {
  return { type, file: maskFile(file, mask) };
}

/** Masks a result as a value where it is JSON: the names of its members decide as well. */
function maskResultText(content: string, mask: (value: Json) => Json): string {
  const target = toPathTarget(content);
  if (target.kind === 'cut' || (!isObject(target.value) && !Array.isArray(target.value))) return String(mask(content));
  const masked = toCanonicalJson(mask(target.value));
  return masked === toCanonicalJson(target.value) ? content : masked;
}
