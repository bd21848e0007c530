/**
 * Files of tests on the server with chains that continue as new where each run has three steps: `npm run test:continue-as-new`
 * runs these. The chains of all others are shorter, or in processes that set their own limit, so the variable changes nothing there.
 * The tests of single tools and of LiteLLM are left out: their chains have the same form as those of the strategies here.
 */

/** Below `test/`, without `.test.ts`. */
const names = [
  'attacks/money/usage.temporal',
  'attacks/terminals/running-product.temporal',
  'examples/deployer',
  'examples/fix-test',
  'examples/rehearsed',
  'examples/repository-reader',
  'examples/researcher',
  'temporal/approvals/people-steering',
  'temporal/archive/archive-sweep',
  'temporal/archive/archive',
  'temporal/client/follow',
  'temporal/client/follow-restart',
  'temporal/client/fork',
  'temporal/client/handle',
  'temporal/encryption/encryption',
  'temporal/engine/cancel',
  'temporal/engine/continue-as-new',
  'temporal/engine/invariant',
  'temporal/engine/model-failures',
  'temporal/engine/replay',
  'temporal/gateway/serving',
  'temporal/gateway/streams-archive',
  'temporal/gateway/streams',
  'temporal/models/same-chains',
  'temporal/strategies/conversation',
  'temporal/strategies/plan',
  'temporal/tools/waits',
];

export const continuedFiles = names.map((name) => `test/${name}.test.ts`);
