/** `longhand chain show --context`: what the model of a step saw, in outline. Tools, results and notes are those of the view (L8). */

import { readContext } from '../../client/index.js';
import { countUtf8Bytes, formatCount, toOneLine, toPlainText, toValueText } from '../../core/lib/index.js';
import type { ContextOutline } from '../../core/record/index.js';
import type { ReasoningView, StepView } from '../../core/view/index.js';
import { createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findRecordedChain } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { UsageError } from '../flags/usage-error.js';
import { parseWholeNumber } from '../flags/values.js';
import { getColors } from '../terminal/colors.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export interface ShowContextFlags extends ViewFlags {
  /** Default: the last step. */
  readonly step?: string;
  readonly prompt?: string | true;
}

export async function showContext(terminal: Terminal, reference: string, flags: ShowContextFlags): Promise<number> {
  if (flags.prompt !== undefined) throw new UsageError('--context and --prompt cannot be combined.');
  const step = flags.step === undefined ? null : parseWholeNumber('--step', flags.step);
  const { role, viewRecorded } = await createChainViewer(flags);
  return withServer(async (connect) => {
    const recorded = await findRecordedChain(reference, connect);
    await recordView({ role, command: 'chain show --context', named: reference }, [toViewedChain(recorded)]);
    const outline = readContext(recorded, step ?? recorded.chain.state.steps);
    const context = addTexts(outline, viewRecorded(recorded));
    const { bold, dim } = getColors(terminal);
    const [head = '', facts = '', ...rows] = formatContext(context);
    terminal.write(flags.json ? formatJson(context) : `${[bold(head), dim(facts), ...rows].join('\n')}\n`);
    return 0;
  });
}

/** Adds the notes, null for a viewer who does not see them, and the results in the request. */
function addTexts(outline: ContextOutline, { steps }: Pick<ReasoningView, 'steps'>) {
  const call = outline.summary?.notes?.call;
  const notes = steps.flatMap((step) =>
    step.level === 'full' && step.kind === 'notice' && step.asked?.call === call ? [step.text] : [],
  );
  const from = outline.summary?.steps ?? 0;
  const results = steps.filter(({ kind, number }) => kind === 'tool_result' && number > from && number < outline.step);
  return { ...outline, notes: call == null ? null : (notes.at(-1) ?? null), results: results.map(toResult) };
}

function toResult(step: StepView) {
  if (step.level !== 'full' || step.kind !== 'tool_result') return { id: step.id.slice(0, -1), tool: null } as const;
  const { correlationId: id, tool, observation, clippedFrom, summarized = null, reusedFrom } = step;
  return { id, tool, bytes: countUtf8Bytes(toValueText(observation)), clippedFrom, summarized, reusedFrom };
}

type ShownContext = ReturnType<typeof addTexts>;

function formatContext(context: ShownContext): readonly string[] {
  const { chainId, call, step, model, windowTokens, compactAt, inputTokens, summary, notes, results } = context;
  const { steps = 0 } = summary ?? {};
  const noted = summary?.notes?.steps ?? 0;
  const text = toPlainText(notes ?? 'Not visible to this role.').split('\n');
  const window = windowTokens === null ? [] : [windowTokens, Math.floor(compactAt * windowTokens)].map(formatCount);
  const facts = [
    model,
    window.length === 0 ? 'window unknown' : `window ${window[0]} tokens, summarized from ${window[1]}`,
    `${inputTokens === null ? 'no' : formatCount(inputTokens)} tokens in, at most ${formatCount(context.reservedTokens)} reserved`,
    `${formatCount(context.requestBytes)} bytes`,
  ];
  return [
    toOneLine(`Context of ${call}, step ${step} of ${chainId}`),
    toOneLine(facts.join(' · ')),
    ...(noted === 0 ? [] : [`Steps 1 to ${noted}: notes of ${summary?.notes?.call}`, ...text.map((row) => `  ${row}`)]),
    ...(steps === noted ? [] : [`Steps ${noted + 1} to ${steps}: lines by rule, as many as fit`]),
    ...results.map((result) => `Result ${toOneLine(formatResult(result))}`),
  ];
}

function formatResult(result: ShownContext['results'][number]): string {
  if (result.tool === null) return `${result.id}: not visible to this role`;
  const { id, tool, bytes, clippedFrom, summarized, reusedFrom } = result;
  const size = formatCount(bytes) + (clippedFrom === null ? '' : ` of ${formatCount(clippedFrom)}`);
  const { model, failure = null } = summarized ?? { model: null };
  const whole = reusedFrom === null ? 'whole' : `as in ${reusedFrom}`;
  const clipped = failure === null ? 'clipped' : `clipped, not summarized: ${failure}`;
  const how = clippedFrom === null ? whole : model !== null && failure === null ? `summarized by ${model}` : clipped;
  return `${id} of ${tool}: ${size} bytes, ${how}`;
}
