/** `longhand prompts diff` and `example`: compares prompts, also with the instructions of a chain, and takes examples from chains. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderInstructions } from '../../agents/index.js';
import { formatPromptRef, type SentPrompt } from '../../core/model/index.js';
import { type DiffRow, toExample, toReasoning, viewPrompt } from '../../core/view/index.js';
import { findPromptFile, formatExample, loadPrompts, renderPrompt } from '../../prompts/index.js';
import { createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findRecordedChain } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { UsageError } from '../flags/usage-error.js';
import { formatBlockRows } from '../print/block-rows.js';
import { describeFileError } from '../terminal/read-text.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { type PromptFlags, parseVariables } from './prompts.js';

type DiffFlags = PromptFlags & ViewFlags & { readonly chain?: string };

interface Side {
  readonly name: string;
  readonly text: string;
}

export async function diffPrompts(terminal: Terminal, a: string, b: string | undefined, flags: DiffFlags) {
  const { chain, folder } = flags;
  if ((b === undefined) === (chain === undefined))
    throw new UsageError('Name a second prompt or file to compare with, or a chain with --chain.');
  const [left, right] =
    chain === undefined ? [readSide(a, folder), readSide(b ?? '', folder)] : await readChainSides(a, chain, flags);
  const rows = compareLines(left.text.split(/\r?\n/), right.text.split(/\r?\n/));
  const heads = [`--- ${left.name}`, `+++ ${right.name}`].map((text) => ({ change: 'heading', text }) as const);
  const block = {
    kind: 'diff',
    rows: [...heads, ...rows],
    omitted: [],
    rest: null,
    added: 0,
    removed: 0,
    subject: '',
  } as const;
  terminal.write(flags.json ? formatJson(block.rows) : `${formatBlockRows(block, terminal).join('\n')}\n`);
  return 0;
}

/** A prompt has the name of its file. */
function readSide(reference: string, folder: string): Side {
  const name = reference.endsWith('.md') ? reference : join(folder, `${reference}.md`);
  try {
    return { name, text: readFileSync(name, 'utf8') };
  } catch (error) {
    throw new UsageError(`Cannot read ${name}: ${describeFileError(error)}.`);
  }
}

/** The instructions of a chain are a part of its prompts, and only viewers of these see them. */
async function readChainSides(name: string, reference: string, flags: DiffFlags): Promise<readonly [Side, Side]> {
  const file = findPromptFile(loadPrompts(flags.folder).list, name);
  const prompt = renderPrompt(file, parseVariables(file, flags.var), 'keep');
  const { role, viewer, config } = await createChainViewer(flags);
  return withServer(async (connect) => {
    const recorded = await findRecordedChain(reference, connect);
    await recordView({ role, command: 'prompts diff', named: reference }, [toViewedChain(recorded)]);
    const { chainId, agent } = recorded.chain.state;
    if (agent === null) throw new UsageError(`Chain ${chainId} has no instructions: no worker has taken it.`);
    const sent: SentPrompt = {
      ...{ kind: 'sent', chainId, call: 'model-1', purpose: 'step', step: 1, provider: null, model: '', maxTokens: 0 },
      request: { system: agent.instructions, messages: [], tools: [], toolChoice: 'none', stopSequences: [] },
      ...{ proof: 'unproven', digests: null, failure: null },
    };
    const seen = viewPrompt(toReasoning(recorded), sent, viewer, config);
    const text = seen.kind === 'sent' ? seen.request.system : '';
    return [
      { name: `${agent.prompt === undefined ? 'no prompt' : formatPromptRef(agent.prompt)} of chain ${chainId}`, text },
      { name: formatPromptRef(file), text: renderInstructions({ prompt }, agent.strategy.name) },
    ];
  });
}

/** Finds the fewest removed and added lines. */
function compareLines(a: readonly string[], b: readonly string[]): readonly DiffRow[] {
  // The number of equal lines that the rests of both texts have in common.
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const count = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i]![j] = a[i] === b[j] ? count(i + 1, j + 1) + 1 : Math.max(count(i + 1, j), count(i, j + 1));
  const rows: DiffRow[] = [];
  for (let [i, j] = [0, 0]; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      rows.push({ change: 'same', text: a[i]! });
      [i, j] = [i + 1, j + 1];
    } else if (i < a.length && (j === b.length || count(i + 1, j) >= count(i, j + 1)))
      rows.push({ change: 'removed', text: a[i++]! });
    else rows.push({ change: 'added', text: b[j++]! });
  }
  return rows;
}

export async function printExample(terminal: Terminal, reference: string, flags: ViewFlags): Promise<number> {
  const { role, viewRecorded } = await createChainViewer(flags);
  return withServer(async (connect) => {
    const recorded = await findRecordedChain(reference, connect);
    await recordView({ role, command: 'prompts example', named: reference }, [toViewedChain(recorded)]);
    const example = toExample(viewRecorded(recorded));
    terminal.write(flags.json ? formatJson(example) : formatExample(example));
    return 0;
  });
}
