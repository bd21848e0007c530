/** Parses the last part of a stream of the AI SDK: usage and finish reason. */

import { check, isObject, type Json } from '../../core/lib/index.js';
import type { Reply, ReplyStopReason, Usage } from '../../core/model/index.js';
import { formatValue, toStopReason } from '../wire/reply-parts.js';

/** How a stream ended. `cut`: without the provider's own finish reason. */
export type Finish =
  | { readonly kind: 'complete'; readonly stopReason: ReplyStopReason }
  | { readonly kind: 'cut' | 'failed' };

/** Parses a finish reason. The provider's own is more exact than the unified one. */
export function parseFinish(reason: unknown): Finish {
  const { unified, raw } = isObject(reason) ? reason : {};
  if (unified === 'error') return { kind: 'failed' };
  // Several packages report a stream that ended early as `other`, without a reason of the provider.
  if (unified === 'interrupted' || typeof unified !== 'string' || (unified === 'other' && typeof raw !== 'string')) {
    return { kind: 'cut' };
  }
  const exact = toStopReason(raw ?? null);
  return { kind: 'complete', stopReason: exact === 'end_turn' ? toUnifiedStopReason(unified) : exact };
}

function toUnifiedStopReason(unified: string): ReplyStopReason {
  switch (unified) {
    case 'length':
      return 'max_tokens';
    case 'content-filter':
      return 'refusal';
    case 'tool-calls':
      return 'tool_use';
    default:
      return 'end_turn';
  }
}

/** Parses usage. The totals of input and output decide, so that no token counts twice. */
export function parseAiSdkUsage(usage: unknown): Pick<Reply, 'usage' | 'usageProblem'> {
  const { inputTokens, outputTokens } = isObject(usage) ? usage : {};
  const input = isObject(inputTokens) ? inputTokens : {};
  const output = isObject(outputTokens) ? outputTokens : {};
  const counts = [...Object.entries(input), ...Object.entries(output)].filter(([, value]) => !isMissing(value));
  const invalidCount = counts.find(([name, value]) => usedCounts.has(name) && !check.count.is(value));
  if (invalidCount !== undefined) return toProblem(`it reported ${formatValue(invalidCount[1])} as ${invalidCount[0]}`);
  const cacheRead = toCount(input.cacheRead) ?? 0;
  const cacheWrite = toCount(input.cacheWrite) ?? 0;
  const read = toCount(input.total) ?? addKnown(toCount(input.noCache), cacheRead + cacheWrite);
  const thinking = toCount(output.reasoning) ?? 0;
  const total = toCount(output.total) ?? addKnown(toCount(output.text), thinking);
  if (read === null) return toProblem('it reported no input tokens');
  if (total === null) return toProblem('it reported no output tokens');
  if (read < cacheRead + cacheWrite) {
    return toProblem(`it reported ${cacheRead + cacheWrite} cached tokens of ${read} input tokens`);
  }
  const counted: Usage = {
    input: read - cacheRead - cacheWrite,
    // Some providers report thinking beside their output. It is certain where there is more of it than output.
    output: thinking > total ? total + thinking : total,
    cacheRead,
    cacheWrite,
    thinking,
  };
  return { usage: counted };
}

/** `noCache` and `text` are what packages subtract, and may be below 0; they count only without a total. */
const usedCounts = new Set(['total', 'cacheRead', 'cacheWrite', 'reasoning']);

function addKnown(part: number | null, rest: number): number | null {
  return part === null ? null : part + rest;
}

function toCount(value: Json | undefined): number | null {
  return check.count.is(value) ? (value as number) : null;
}

function isMissing(value: Json | undefined): boolean {
  return value === undefined || value === null;
}

function toProblem(usageProblem: string): Pick<Reply, 'usage' | 'usageProblem'> {
  return { usage: null, usageProblem };
}
