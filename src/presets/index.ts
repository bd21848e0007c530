/** Ready-made agents, tools for code, plan templates. */

export { type CodeToolsOptions, codeTools } from './code/code-tools.js';
export { type CoderOptions, coder } from './coder.js';
export { builtInPlans, debugBug, implementFeature, refactorCode } from './plans/built-in-plans.js';
export {
  definePlan,
  type PlanDefinition,
  type PlanDefinitionOptions,
  type PlanStart,
  type PlanTaskDefinition,
} from './plans/define-plan.js';
