/** An agent's approvals are by the names of its tools: one that is misspelt would ask about nothing. */

import { isObject, own } from '../core/lib/json.js';
import { nearest } from '../core/lib/nearest.js';
import { codeApprovals } from '../tools/approval/code-approvals.js';
import type { Tool } from '../tools/define/define-tool.js';

/**
 * What is wrong, as a sentence without its full stop, or null. Presets may be for more tools than the agent has.
 *
 * @param tools by name
 */
export function problemWithNames(approvals: unknown, tools: ReadonlyMap<string, Tool>): string | null {
  if (!isObject(approvals)) return null;
  for (const name of Object.keys(approvals)) {
    const tool = tools.get(name);
    if (tool !== undefined && tool.snapshot.question !== null) {
      return `approval.${name} means nothing: its calls are questions, which a person answers`;
    }
    if (tool !== undefined || own(codeApprovals, name) !== undefined) continue;
    const meant = nearest(name, [...tools.keys()]);
    const has = tools.size === 0 ? 'it has none' : `it has ${[...tools.keys()].join(', ')}`;
    return `approval.${name} is for no tool of the agent's; ${meant === null ? has : `you may mean ${meant}`}`;
  }
  return null;
}
