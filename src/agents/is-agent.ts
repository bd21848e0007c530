/** Whether a value is an agent, by its shape: a module may have its own copy of this package. */

import { isObject } from '../core/lib/json.js';
import type { Agent } from './agent-definition.js';

export function isAgent(value: unknown): value is Agent {
  return isObject(value) && 'problemWithCall' in value && 'definition' in value;
}
