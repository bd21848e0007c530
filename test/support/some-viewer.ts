/** Viewers and rules, made up by fast-check. */

import fc from 'fast-check';
import { createViewer } from '../../src/core/view/visibility.js';
import type {
  Preferences,
  SecurityRule,
  StepLevels,
  ToolRule,
  Viewer,
  VisibilityConfig,
  VisibilityLevel,
} from '../../src/index.js';

const someLevel = fc.constantFrom<VisibilityLevel>('full', 'summary', 'hidden');
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const kinds = ['thinking', 'tool_call', 'tool_result', 'synthesis', 'notice'] as const;
const someLevels = fc.oneof(
  someLevel,
  fc.dictionary(fc.constantFrom(...kinds), someLevel).map((levels): StepLevels => ({ ...levels })),
);

const someRule: fc.Arbitrary<ToolRule> = fc
  .record({ level: maybe(someLevel), childChain: maybe(someLevel) })
  .map(({ level, childChain }) => ({ ...(level && { level }), ...(childChain && { childChain }) }));

const someRequired: fc.Arbitrary<SecurityRule> = fc
  .record({
    atMost: fc.constantFrom('summary' as const, 'hidden' as const),
    tool: maybe(fc.constantFrom('weather', 'query', 'ask')),
    toolKind: maybe(fc.constantFrom('external', 'database', 'skill')),
    step: maybe(fc.constantFrom(...kinds)),
    tenant: maybe(fc.constantFrom('bank', 'shop')),
  })
  .map(({ atMost, tool, toolKind, step, tenant }) => ({
    atMost,
    ...(tool && { tool }),
    ...(toolKind && { toolKind }),
    ...(step && { step }),
    ...(tenant && { tenant }),
  }));

const named = <T>(names: readonly string[], of: fc.Arbitrary<T>) => fc.dictionary(fc.constantFrom(...names), of);

export const someConfig: fc.Arbitrary<VisibilityConfig> = fc
  .record({
    platform: maybe(someLevel),
    deployment: maybe(someLevels),
    roles: named(['end_user', 'developer', 'support'], someLevels),
    agents: named(['clerk', 'helper'], someLevels),
    toolKinds: named(['external', 'database', 'skill', 'sub_agent'], someRule),
    tools: named(['weather', 'query', 'score', 'ask'], someRule),
    steps: named(['1', '1.1', '1.1r', '2', '2a', '1.1/1'], someLevel),
    required: fc.array(someRequired, { maxLength: 2 }),
  })
  .map(({ platform, deployment, ...rest }) => ({
    ...(platform && { default: platform }),
    ...(deployment && { deployment }),
    ...rest,
  }));

export const somePreferences: fc.Arbitrary<Preferences> = fc.record({
  progressSummary: fc.boolean(),
  thinking: fc.boolean(),
  externalCalls: fc.boolean(),
  internalCalls: fc.boolean(),
  finalReasoning: fc.boolean(),
});

export const someViewer: fc.Arbitrary<Viewer> = fc
  .record({
    role: fc.constantFrom('end_user', 'developer', 'support', 'nobody_knows', 'constructor'),
    tenant: fc.constantFrom(null, 'bank'),
    preferences: somePreferences,
    expanded: fc.oneof(fc.constant('all' as const), fc.subarray(['1', '1.1', '1.1r', '2', '2a', '1.1/1'])),
  })
  .map(({ role, ...more }) => createViewer(role, more));
