/** `longhand models --check`: calls each model with one token. */

import { providerFailures } from '../../core/engine/failure-rules.js';
import { formatExactDuration } from '../../core/lib/display.js';
import { isLonghandError } from '../../core/lib/errors.js';
import type { ModelSnapshot } from '../../core/model/agent.js';
import type { ModelFailure } from '../../core/model/fact.js';
import { readDefaultModel } from '../../models/environment.js';
import type { Models, ResolvedModel } from '../../models/models.js';
import { UsageError } from '../flags/usage-error.js';
import { getColors } from '../terminal/colors.js';
import { formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { type ModelsFlags, openModels } from './open-models.js';

interface CheckedModel {
  readonly name: string;
  readonly provider: string | null;
  readonly id: string | null;
  readonly durationMs: number | null;
  /** What is wrong, and the fix; null if the model answered. */
  readonly problem: string | null;
}

/** Milliseconds for one call. */
const timeoutMs = 60_000;

/** @returns exit code 1 if a model failed */
export async function checkModels(terminal: Terminal, named: readonly string[], flags: ModelsFlags): Promise<number> {
  const { models } = await openModels(flags);
  const checked: CheckedModel[] = [];
  // One after the other, so that the times can be compared.
  for (const name of chooseNames(models, named)) checked.push(await checkModel(models, name));
  terminal.write(flags.json ? formatJson(checked) : formatChecked(checked, terminal));
  return checked.some(({ problem }) => problem !== null) ? 1 : 0;
}

function chooseNames({ aliases }: Models, named: readonly string[]): readonly string[] {
  if (named.length > 0) return named;
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
    return { name, provider: null, id: null, durationMs: null, problem: error.message };
  }
  const { provider, id } = resolved;
  const startedAt = performance.now();
  const result = await provider.call(
    {
      request: {
        system: '',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Reply with ok.' }] }],
        tools: [],
        toolChoice: 'none',
        stopSequences: [],
      },
      model: createModelSnapshot(resolved),
      maxTokens: 1,
    },
    { signal: new AbortController().signal },
  );
  const durationMs = Math.round(performance.now() - startedAt);
  const problem = result.ok ? null : describeFailure(result.failure);
  return { name, provider: provider.name, id, durationMs, problem };
}

function createModelSnapshot({ name, provider, id }: ResolvedModel): ModelSnapshot {
  return {
    ...{ name, provider: provider.name, id, price: null, maxTokens: 1, contextTokens: null, compactAt: 1 },
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
  return formatTable(columns, cells, terminal, (row) => {
    const problem = checked[row]?.problem ?? null;
    return problem === null ? [] : [`   ${problem}`];
  });
}
