/** `longhand models --check`: asks each model for a short answer. */

import { providerFailures } from '../../core/engine/index.js';
import { formatCount, formatExactDuration, isLonghandError } from '../../core/lib/index.js';
import type { ModelFailure, ModelSnapshot } from '../../core/model/index.js';
import { type Models, type ResolvedModel, readDefaultModel } from '../../models/index.js';
import { UsageError } from '../flags/usage-error.js';
import { getColors } from '../terminal/colors.js';
import { formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { wrapText } from '../terminal/text.js';
import { type ModelsFlags, openModels } from './open-models.js';

interface CheckedModel {
  readonly name: string;
  readonly provider: string | null;
  readonly id: string | null;
  /** Output tokens of the request; null where none was made. */
  readonly maxTokens: number | null;
  readonly durationMs: number | null;
  /** What is wrong, and the fix; null if the model answered, also where its answer was cut. */
  readonly problem: string | null;
}

/** Milliseconds for one call. */
const timeoutMs = 60_000;

const question = 'Reply with ok.';

/** Output tokens. Of a model that thinks, some APIs reject a request whose tokens end within the thought. */
const answerTokens = 16;
const thinkingTokens = 1_024;

/** @returns exit code 1 if a model failed */
export async function checkModels(terminal: Terminal, names: readonly string[], flags: ModelsFlags): Promise<number> {
  const { models } = await openModels(flags);
  const checked: CheckedModel[] = [];
  // One after the other, so that the times can be compared.
  for (const name of chooseNames(models, names)) checked.push(await checkModel(models, name));
  terminal.write(flags.json ? formatJson(checked) : formatChecked(checked, terminal));
  return checked.some(({ problem }) => problem !== null) ? 1 : 0;
}

function chooseNames({ aliases }: Models, names: readonly string[]): readonly string[] {
  if (names.length > 0) return names;
  if (aliases.length > 0) return aliases;
  const model = readDefaultModel(process.env);
  if (model !== null) return [model];
  throw new UsageError('No model to check. Name one, set LONGHAND_MODEL, or name a catalogue with --models.');
}

async function checkModel(models: Models, name: string): Promise<CheckedModel> {
  let resolved: ResolvedModel;
  try {
    resolved = models.resolve(name);
  } catch (error) {
    if (!isLonghandError(error)) throw error;
    return { name, provider: null, id: null, maxTokens: null, durationMs: null, problem: error.message };
  }
  const { provider, id, entry } = resolved;
  const tokens = entry?.thinking ? thinkingTokens : answerTokens;
  const maxTokens = Math.min(tokens, entry?.maxOutputTokens ?? tokens);
  const startedAt = performance.now();
  const result = await provider.call(
    {
      request: {
        system: '',
        messages: [{ role: 'user', content: [{ type: 'text', text: question }] }],
        tools: [],
        toolChoice: 'none',
        stopSequences: [],
      },
      model: createModelSnapshot(resolved, maxTokens),
      maxTokens,
    },
    { signal: new AbortController().signal },
  );
  const durationMs = Math.round(performance.now() - startedAt);
  const problem = result.ok || isCut(result.failure) ? null : describeFailure(result.failure);
  return { name, provider: provider.name, id, maxTokens, durationMs, problem };
}

/** OpenAI's error for a model that was still thinking at its last token. */
function isCut({ kind, message }: ModelFailure): boolean {
  return kind === 'bad_request' && /max_tokens or model output limit was reached/i.test(message);
}

function createModelSnapshot({ name, provider, id }: ResolvedModel, maxTokens: number): ModelSnapshot {
  return {
    ...{ name, provider: provider.name, id, price: null, maxTokens, contextTokens: null, compactAt: 1 },
    ...{ temperature: null, effort: null, thinking: null, stopSequences: [] },
    ...{ timeoutMs, heartbeatMs: timeoutMs, onProviderError: 'fail' },
    retry: { attempts: 1, forMs: 0, maxIntervalMs: 0 },
  };
}

function describeFailure({ kind, message }: ModelFailure): string {
  return `${message.replace(/\.$/, '')}. ${providerFailures[kind].remedy}`;
}

const columns = [{ head: '' }, { head: 'model' }, { head: 'provider' }, { head: 'id' }, { head: 'time' }] as const;

function formatChecked(checked: readonly CheckedModel[], terminal: Terminal): string {
  const c = getColors(terminal);
  const cells = checked.map(({ name, provider, id, durationMs, problem }) => [
    problem === null ? { text: '✓', paint: c.green } : { text: '✗', paint: c.red },
    { text: name },
    { text: provider ?? '–' },
    { text: id ?? '–' },
    { text: durationMs === null ? '–' : formatExactDuration(durationMs) },
  ]);
  const table = formatTable(columns, cells, terminal, (row) => {
    const problem = checked[row]?.problem ?? null;
    return problem === null ? [] : wrapText(problem, terminal.tableWidth - 3).map((line) => `   ${line}`);
  });
  const footnote = `Asked "${question}" for at most ${answerTokens} output tokens, models that think for ${formatCount(thinkingTokens)}.`;
  return `${table}\n${wrapText(footnote, terminal.tableWidth).map(c.dim).join('\n')}\n`;
}
