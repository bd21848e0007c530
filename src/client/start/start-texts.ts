/** What Temporal's Web UI shows of a chain from its start on: a summary and details, without secrets. */

import { omitUndefined, toOneLine, toPlainText } from '../../core/lib/index.js';
import {
  type ChainInput,
  defaults,
  describeLimits,
  formatAgent,
  formatFile,
  getDefaultSteps,
} from '../../core/model/index.js';
import {
  createSnippetMasker,
  listInheritedSensitiveTexts,
  type SnippetMasker,
  webUiSummaryLength,
} from '../../core/view/index.js';
import { toStoredLimits } from '../../options/index.js';
import type { StartableAgent, StartInput, StartOptions } from './start-options.js';

type StartedChain = Omit<StartInput, 'chainId' | 'taskQueue' | 'task'> & { readonly task: string };

/** Temporal's own tools print both unescaped. */
export function formatStart(input: ChainInput, start: StartedChain, options: StartOptions) {
  const masker = createSnippetMasker(listInheritedSensitiveTexts(input));
  return {
    staticSummary: toOneLine(masker.line(start.task, webUiSummaryLength)),
    staticDetails: toPlainText(formatDetails(start, options, masker)),
  };
}

/** The summary shows the task; a task too long for it is repeated in the details in full. */
function formatDetails(
  { agent, task, files = [], origin, thread }: StartedChain,
  options: StartOptions,
  masker: SnippetMasker,
): string {
  const model = options.model ?? agent.definition?.model;
  const who = [
    `**Agent** ${formatAgent({ name: agent.name, ...omitUndefined({ title: agent.definition?.title }) })}`,
    ...(model ? [`**model** ${model}`] : []),
    ...formatRequester(options, masker),
  ].join(' · ');
  const whole = task.length <= webUiSummaryLength ? [] : [`> ${masker.block(task, 4_000).replace(/\n/g, '\n> ')}`];
  const from = origin === undefined ? [] : [`**Forked from** ${origin.chainId} at step ${origin.steps}`];
  const after =
    thread === undefined ? [] : [`**Follows** ${thread.follows} · **thread** ${thread.id}, chain ${thread.number}`];
  const attached =
    files.length === 0 ? [] : [`**Files** ${files.map((file) => masker.line(formatFile(file), 200)).join(' · ')}`];
  return [who, ...from, ...after, ...attached, `**Limits** ${formatStartLimits(agent, options)}`, ...whole].join(
    '\n\n',
  );
}

/**
 * Formats the limits of the start. Without the definition, only the options' own limits are known: those in force are in
 * the current details, as soon as a worker has prepared the agent. The default cost limit is set by the worker, which knows
 * the prices.
 */
function formatStartLimits({ definition, strategy, limits }: StartableAgent, options: StartOptions): string {
  const own = { ...limits, ...toStoredLimits(options.limits ?? {}) };
  if (definition === undefined)
    return [describeLimits(own), "the agent's own, in the current details"]
      .filter((part) => part !== '')
      .join('; else ');
  const steps = getDefaultSteps(strategy);
  return describeLimits({ steps, tokens: defaults.tokens, timeMs: defaults.timeMs, ...own });
}

function formatRequester({ tenant, user, roles = [] }: StartOptions, masker: SnippetMasker): readonly string[] {
  return [
    ...(tenant ? [`**tenant** ${tenant}`] : []),
    ...(user ? [`**user** ${masker.line(user, 100)}`] : []),
    ...(roles.length === 0 ? [] : [`**roles** ${masker.line(roles.join(', '), 200)}`]),
  ];
}
