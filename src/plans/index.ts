/** Plan templates. */

export { builtInPlans, debugBug, implementFeature, refactorCode } from './built-in-plans.js';
export {
  definePlan,
  type PlanDefinition,
  type PlanDefinitionOptions,
  type PlanStart,
  type PlanTaskDefinition,
} from './define-plan.js';
