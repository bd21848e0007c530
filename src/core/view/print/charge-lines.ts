/** The charges of a call that asked models, as remarks and notes of its result. */

import { formatCount, formatDuration, formatExactUsd, formatUnreportedUsage, formatUsd } from '../../lib/index.js';
import { addUsage, addUsd, countInputTokens, countTotalTokens, type ModelCharge, noUsage } from '../../model/index.js';

/** Tokens and US dollars of all charges; dollars are null where none has a price. */
export interface ChargeTotal {
  readonly tokens: number;
  readonly usd: number | null;
}

export function sumCharges(charges: readonly ModelCharge[]): ChargeTotal {
  const reported = charges.reduce((sum, { usage }) => addUsage(sum, usage), noUsage);
  const reserved = charges.reduce((sum, { charged }) => {
    return sum + (charged === undefined ? 0 : charged.inputTokens + charged.outputTokens);
  }, 0);
  const usd = charges.reduce<number | null>((sum, { costUsd }) => addUsd(sum, costUsd), null);
  return { tokens: countTotalTokens(reported) + reserved, usd };
}

/** `1,247 tokens`, `$0.02` */
export function listChargeRemarks(charges: readonly ModelCharge[] = []): readonly string[] {
  if (charges.length === 0) return [];
  const { tokens, usd } = sumCharges(charges);
  return [...(tokens === 0 ? [] : [`${formatCount(tokens)} tokens`]), ...(usd === null ? [] : [formatUsd(usd)])];
}

/** `fast: claude-haiku-5-5 from anthropic, 850 tokens in, 397 out, $0.0156, 1.2 s` */
export function listChargeNotes(charges: readonly ModelCharge[] = []): readonly string[] {
  return charges.map(({ role, name, model, provider, usage, charged, costUsd, durationMs, failure }) => {
    if (role === 'fee') {
      const how = charged === undefined ? [] : ['the most that it may cost'];
      return [`${name}: ${formatExactUsd(costUsd)}`, ...(failure === undefined ? [] : [failure]), ...how].join(', ');
    }
    const answered = [model ?? 'no answer', ...(provider === null ? [] : [`from ${provider}`])].join(' ');
    return [
      `${name}${role === 'answer' ? '' : ` (${role})`}: ${answered}`,
      ...(failure === undefined ? [] : [failure.replaceAll('_', ' ')]),
      ...(charged === undefined
        ? [`${formatCount(countInputTokens(usage))} tokens in`, `${formatCount(usage.output)} out`]
        : [formatUnreportedUsage(charged)]),
      ...(costUsd === null ? [] : [formatExactUsd(costUsd)]),
      ...(durationMs === null ? [] : [formatDuration(durationMs)]),
    ].join(', ');
  });
}
