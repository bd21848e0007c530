/** A call and its result in one line each: by the template of the tool, else by its table or diff. */

import type { Json } from '../lib/index.js';
import type { ToolView } from '../model/index.js';
import { describeBlock, isCallRule, toContentBlock } from './content-block.js';
import { formatByTemplate, toSummaryLine } from './summary-text.js';

type CallView = Pick<ToolView, 'request' | 'response' | 'block'>;

/** Returns null where neither fits the arguments. */
export function formatCallByView({ request, block }: CallView, input: Json): string | null {
  return formatByTemplate(request, input) ?? formatByBlock(block, true, input);
}

/** Returns null where neither fits the result. */
export function formatResultByView({ response, block }: CallView, result: Json): string | null {
  return formatByTemplate(response, result) ?? formatByBlock(block, false, result);
}

function formatByBlock(rule: ToolView['block'], isCall: boolean, value: Json): string | null {
  if (rule === undefined || isCallRule(rule) !== isCall) return null;
  const block = toContentBlock(rule, value);
  return block === null ? null : toSummaryLine(describeBlock(block));
}
