/** Formats the prompt of a model call to read in a terminal: in the order in which the model reads it. */

import { formatArguments, formatCount, toOneLine, toPlainText } from '../../core/lib/index.js';
import {
  formatFile,
  type MissingPrompt,
  type ModelMessage,
  type Prompt,
  type ReplyBlock,
  type SentPrompt,
  type ToolSpec,
  type UserBlock,
} from '../../core/model/index.js';
import type { Colors } from '../terminal/colors.js';

export function formatPrompt(prompt: Prompt, c: Colors): string {
  const head = c.bold(`Prompt of ${prompt.call}, ${formatPurpose(prompt)}`);
  const rows =
    prompt.kind === 'missing'
      ? [`No request: ${missingReasons[prompt.reason]}.`]
      : [...formatCallRows(prompt, c), ...formatRequestRows(prompt, c)];
  return `${[`${head}  ${c.dim(toOneLine(prompt.chainId))}`, ...rows].join('\n')}\n`;
}

function formatPurpose(prompt: Prompt): string {
  if (prompt.kind === 'missing' || prompt.purpose === 'step') return `step ${prompt.step}`;
  return `${prompt.purpose === 'closing' ? 'to sum up' : `of the ${prompt.purpose}`} after step ${prompt.step}`;
}

const missingReasons: { readonly [reason in MissingPrompt['reason']]: string } = {
  plan_reused: 'the plan of an earlier chain was reused instead of a model call',
  check_ended: "the agent's check ended the chain before the model was called",
};

function formatCallRows({ model, provider, maxTokens, request, ...prompt }: SentPrompt, c: Colors): readonly string[] {
  const by = provider === null ? model : `${model} from ${provider}`;
  const facts = [by, `at most ${formatCount(maxTokens)} tokens out`, `tool choice ${request.toolChoice}`];
  return [c.dim(toOneLine(facts.join(' · '))), formatProof(prompt, c)];
}

function formatProof(
  { proof, digests, failure }: Pick<SentPrompt, 'proof' | 'digests' | 'failure'>,
  c: Colors,
): string {
  const rebuilt = digests === null ? '' : c.dim(`  ${digests.rebuilt}`);
  switch (proof) {
    case 'proven':
      return `${c.green('✓')} As it was sent: the rebuilt request has the digest in the reply.${rebuilt}`;
    case 'differs':
      return `${c.yellow('!')} Not as it was sent: another version of Longhand rendered the request.${rebuilt}`;
    case 'unproven':
      return `${c.yellow('!')} Rebuilt, not proven: the call ${failure === null ? 'has no reply yet' : `failed (${failure})`}.${rebuilt}`;
  }
}

function formatRequestRows(
  { request: { system, messages, tools, stopSequences } }: SentPrompt,
  c: Colors,
): readonly string[] {
  return [
    ...formatPart('SYSTEM', [system], c),
    ...(tools.length === 0 ? [] : formatPart('TOOLS', tools.map(formatTool), c)),
    ...messages.flatMap((message) => formatPart(message.role.toUpperCase(), listBlockTexts(message, c), c)),
    ...(stopSequences.length === 0 ? [] : formatPart('STOP SEQUENCES', [JSON.stringify(stopSequences)], c)),
  ];
}

function formatPart(title: string, texts: readonly string[], c: Colors): readonly string[] {
  return ['', c.bold(title), ...texts.flatMap((text) => text.split('\n').map((row) => `  ${row}`.trimEnd()))];
}

function formatTool({ name, description, inputSchema }: ToolSpec): string {
  return toPlainText(`${name}: ${description}\n  ${JSON.stringify(inputSchema)}`);
}

type Block = ReplyBlock | UserBlock;

function listBlockTexts({ content }: ModelMessage, c: Colors): readonly string[] {
  return (content as readonly Block[]).map((block) => formatBlock(block, c));
}

function formatBlock(block: Block, c: Colors): string {
  switch (block.type) {
    case 'text':
      return toPlainText(block.text);
    case 'thinking':
      return `${c.dim('[thinking]')} ${toPlainText(block.thinking)}`;
    case 'redacted_thinking':
      return c.dim('[thinking, encrypted by the provider]');
    case 'tool_use':
      return `${c.dim(`[${toOneLine(`call ${block.name} ${block.id}`)}]`)} ${formatArguments(block.input)}`;
    case 'tool_result':
      return [
        `${c.dim(`[${toOneLine(`result ${block.tool_use_id}`)}]`)} ${toPlainText(block.content)}`,
        ...(block.files ?? []).map((file) => formatBlock(file, c)),
      ].join('\n');
    case 'file':
      return `${c.dim('[file]')} ${toOneLine(`${formatFile(block.file)}, ${block.file.digest}`)}`;
  }
}
