/** A model call as a line, like the call of a tool: `[LLM: claude-sonnet-5-5]`. Its response is the thought or the answer below it. */

import { formatProvider, listRouteTexts } from '../../engine/index.js';
import { formatCacheAge, formatCount, formatDuration, formatUnreportedUsage, formatUsd } from '../../lib/index.js';
import { type AsideReply, countInputTokens, type Usage } from '../../model/index.js';
import type { ModelCallStats } from '../reasoning.js';
import type { FullStep } from '../reasoning-view.js';
import { createLine, createNamedLabel, type Line, type Remark } from './line.js';

/** Returns the line of the model call behind an item; none for an item without one, and where none was made. */
export function formatModelCallLines(step: FullStep, detail: 'short' | 'full'): readonly Line[] {
  if (step.kind === 'notice') return step.asked === undefined ? [] : [formatAsideLine(step.asked)];
  if ((step.kind !== 'thinking' && step.kind !== 'synthesis') || step.modelCall === null) return [];
  const { modelCall } = step;
  const { provider, call, route, durationMs, attempts } = modelCall;
  if (provider === null) return [];
  const remarks: readonly Remark[] = [
    { text: `from ${formatProvider({ ...modelCall, provider })}` },
    ...(route === undefined ? [] : listRouteTexts(route).map((text) => ({ text }))),
    call,
    formatDuration(durationMs),
    ...listPaidRemarks(modelCall, detail),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
  ];
  return [createLine(createNamedLabel('LLM', 'call', modelCall.model), { remarks })];
}

function formatAsideLine({ model, call, inputTokens, outputTokens, costUsd }: AsideReply): Line {
  const tokens = [`${formatCount(inputTokens)} tokens in`, `${formatCount(outputTokens)} out`];
  const remarks = [call, ...tokens, ...(costUsd === null ? [] : [formatUsd(costUsd)])];
  return createLine(createNamedLabel('LLM', 'call', model), { remarks });
}

function listPaidRemarks({ usage, charged, costUsd, cached }: ModelCallStats, detail: 'short' | 'full') {
  if (cached !== undefined) return [formatCacheAge(cached.ageMs), 'free'];
  const cost = costUsd === null ? [] : [formatUsd(costUsd)];
  if (charged !== undefined) return [formatUnreportedUsage(charged), ...cost];
  return [...listUsageRemarks(usage, detail), ...cost];
}

function listUsageRemarks(usage: Usage, detail: 'short' | 'full'): readonly string[] {
  const { input, output, cacheRead, cacheWrite, thinking } = usage;
  if (detail === 'short') return [`${formatCount(countInputTokens(usage))} tokens in`, `${formatCount(output)} out`];
  return [
    `${formatCount(input)} tokens in`,
    ...(cacheRead > 0 ? [`${formatCount(cacheRead)} from the cache`] : []),
    ...(cacheWrite > 0 ? [`${formatCount(cacheWrite)} into the cache`] : []),
    `${formatCount(output)} out${thinking > 0 ? ` (${formatCount(thinking)} thinking)` : ''}`,
  ];
}
