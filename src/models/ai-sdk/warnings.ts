/** Warnings of models of the AI SDK: a setting that the model does not support is ignored by its package, not rejected. */

import { isObject, type JsonObject, shorten } from '../../core/lib/index.js';
import { redactingConsole } from '../wire/redacting-provider.js';

/** Different warnings that are reported: each call repeats its own. */
const maxWarnings = 100;

/** Returns a function that reports each warning of a stream once. */
export function createWarner(report: (warning: string) => void = printWarning): (warnings: unknown) => void {
  const reported = new Set<string>();
  return (warnings) => {
    if (!Array.isArray(warnings)) return;
    for (const warning of warnings.filter(isObject).map(formatWarning)) {
      if (reported.has(warning) || reported.size >= maxWarnings) continue;
      reported.add(warning);
      report(warning);
    }
  };
}

function printWarning(warning: string): void {
  redactingConsole.warn(`Warning of a model: ${warning}`);
}

/** Formats `{ type: 'unsupported', feature, details }` and `{ type: 'other', message }`. */
function formatWarning({ type, feature, setting, details, message }: JsonObject): string {
  const texts = [type, feature ?? setting, details ?? message].filter((part) => typeof part === 'string');
  return shorten(texts.join(': '), 1_000);
}
