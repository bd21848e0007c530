/** A workflow for scripts: what it says, its functions aside. */

import type { Json } from '../../core/lib/json.js';
import type { Workflow } from '../../presets/templates/define-workflow.js';

export function asJson({ name, description, goal, parameters, steps }: Workflow): Json {
  return { name, description, goal, parameters, steps: steps.map((step) => ({ ...step })) };
}
