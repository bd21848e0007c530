/** Plan templates. */

export {
  definePlan,
  type PlanDefinition,
  type PlanDefinitionOptions,
  type PlanStart,
  type PlanTaskDefinition,
} from './define-plan.js';
