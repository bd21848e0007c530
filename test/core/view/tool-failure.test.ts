/** L8: the failure of a tool's attempt and its stack, for each viewer. */

import { describe, expect, it } from 'vitest';
import { formatItemLines } from '../../../src/core/view/print/item-lines.js';
import type { ActivityAttempts, Reasoning, ToolCallStep, VisibilityConfig } from '../../../src/entries/view.js';
import { createViewer, view } from '../../../src/entries/view.js';
import { call, reasoningWith, result } from '../../support/some-reasoning.js';

const key = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
const stack = `at parse (/app/tools.ts:3:9)\nCaused by Error: rejected ${key}`;
const attempts: ActivityAttempts = {
  ...{ made: 1, startedAt: 1, endedAt: 2, worker: 'w', scheduledEventId: 5, endedEventId: 7 },
  lastFailure: { type: 'TypeError', message: `no ${key}`, stack },
};
const failed: Reasoning = reasoningWith([
  call('1.1', 'weather', {}, { status: 'error', attempts }),
  result('1.1', 'weather', 'no', { status: 'error' }),
]);
/** An end user who sees every step in full. */
const config: VisibilityConfig = { roles: { end_user: 'full' } };

function findFailure(role: string, rules: VisibilityConfig = config) {
  const step = view(failed, createViewer(role), rules).steps.find(({ id }) => id === '1.1');
  return (step as ToolCallStep).attempts?.lastFailure;
}

describe('the stack of a failed tool', () => {
  it('is visible to a developer, masked', () => {
    const masked = 'at parse (/app/tools.ts:3:9)\nCaused by Error: rejected [redacted:api-key]';
    expect(findFailure('developer')).toEqual({ type: 'TypeError', message: 'no [redacted:api-key]', stack: masked });
  });

  it('is visible to an auditor as it is recorded', () => {
    expect(findFailure('auditor')?.stack).toBe(stack);
  });

  it('is not visible to other roles, even where they see the call and its result in full', () => {
    expect(findFailure('end_user')).toEqual({ type: 'TypeError', message: 'no [redacted:api-key]', stack: null });
  });

  it('has the level of the result, like its message', () => {
    const required = [{ atMost: 'summary', step: 'tool_result' }] as const;
    expect(findFailure('developer', { required })).toBeNull();
  });

  it('is printed with the step in full, a row for each frame, and not with the tree', () => {
    const chain = view(failed, createViewer('developer'), config);
    const notes = (detail: 'full' | 'short') =>
      chain.steps.flatMap((step) => formatItemLines(step, detail, chain)).flatMap((line) => line.notes);
    expect(notes('full')).toEqual([
      'Last failure: TypeError: no [redacted:api-key]',
      'at parse (/app/tools.ts:3:9)',
      'Caused by Error: rejected [redacted:api-key]',
    ]);
    expect(notes('short')).toEqual([]);
  });
});
