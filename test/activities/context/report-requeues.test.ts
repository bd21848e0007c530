/** Operations that go back to the task queue are logged once a minute for each cause. */

import { ApplicationFailureCategory } from '@temporalio/common';
import { expect, it } from 'vitest';
import { createFailure, createUnknownAgentFailure } from '../../../src/activities/context/failures.js';
import { createRequeueReporter } from '../../../src/activities/context/report-requeues.js';

it('a cause is logged once a minute, another one at once, and other failures are left to the SDK', async () => {
  let at = 0;
  const lines: string[] = [];
  const report = createRequeueReporter(() => at);
  const fail = (error: Error) =>
    report({ log: { warn: (line: string) => lines.push(line) } as never })
      .inbound.execute(null, () => Promise.reject(error))
      .catch((thrown: unknown) => expect(thrown).toBe(error));
  for (; at < 120_000; at += 10_000) await fail(createUnknownAgentFailure([{ name: 'clerk', isOwned: false }], 'clrk'));
  await fail(createUnknownAgentFailure([{ name: 'clerk', isOwned: false }], 'cook'));
  await fail(createFailure('ToolError', 'No.'));
  const line = (name: string) =>
    `This worker has no agent named ${name}. Known agents: clerk. The operation went back to the task queue.`;
  expect(lines).toEqual([line('clrk'), line('clrk'), line('cook')]);
});

it('such a failure is benign, so that the SDK neither logs nor counts it', () => {
  expect(createUnknownAgentFailure([], 'clrk').category).toBe(ApplicationFailureCategory.BENIGN);
  expect(createFailure('ToolError', 'No.').category).toBeUndefined();
});
