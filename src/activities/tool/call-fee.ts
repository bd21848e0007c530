/** L6: the fee of one attempt at a call. An attempt that did not begin costs nothing, one that failed the most. */

import { Context } from '@temporalio/activity';
import { type Json, toErrorMessage } from '../../core/lib/index.js';
import type { ModelUse } from '../../core/model/index.js';
import type { Tool } from '../../tools/define/index.js';

export interface CallFee {
  /** The tool's function is called next. */
  readonly begin: () => void;
  /** The tool returned. */
  readonly settle: (tool: Tool, input: Json, result: Json) => void;
  /** The call was certainly not done. */
  readonly release: () => void;
  readonly listUses: () => readonly ModelUse[];
}

/** @param max US dollars */
export function createCallFee(max: number): CallFee {
  const base = { part: 0, model: null, provider: null, usage: null, durationMs: 0 };
  let use: ModelUse | null = null;
  return {
    begin: () => {
      use = { ...base, settle: 'reservation' };
    },
    settle: (tool, input, result) => {
      use = { ...base, settle: 'usage', usd: max };
      try {
        const usd = tool.computeFee?.(input, result) ?? max;
        if (!Number.isFinite(usd) || usd < 0) throw new TypeError(`expected US dollars, got ${String(usd)}`);
        use = { ...base, settle: 'usage', usd };
      } catch (error) {
        const message = `The price of a call of ${tool.name} could not be computed; it is charged the most.`;
        Context.current().log.warn(message, { error: toErrorMessage(error) });
      }
    },
    release: () => {
      use = null;
    },
    listUses: () => (use === null ? [] : [use]),
  };
}
