import { describe, expect, it } from 'vitest';
import { renderObservation } from '../../../../src/core/engine/state/observation.js';
import { createRequestRules } from '../../../../src/core/engine/state/request-rules.js';
import type { Call } from '../../../../src/core/model/chain.js';
import type { RequestKind } from '../../../../src/core/model/request.js';
import { sampleCall, sampleChain, sampleStep } from '../../strategies/sample-chain.js';

const someRules = createRequestRules({ reason: 'It costs something.', risk: 'high' });

function formatObservation(call: Partial<Call>): string {
  return renderObservation(sampleChain([sampleStep(1)]), sampleCall('2.1', call));
}

describe('observationText', () => {
  it('shows a text as it is and a value as JSON', () => {
    expect(formatObservation({ observation: 'warm\nand dry' })).toBe('warm\nand dry');
    expect(formatObservation({ observation: { temperature: 18 } })).toBe('{"temperature":18}');
    expect(formatObservation({ observation: 0 })).toBe('0');
  });

  it('is never empty', () => {
    expect(formatObservation({ observation: '' })).toBe('(no output)');
    expect(formatObservation({ observation: null })).toBe('(no output)');
    expect(formatObservation({ status: 'pending', observation: null })).toBe('(no result yet)');
  });

  it('distinguishes a failure from a result', () => {
    expect(formatObservation({ status: 'error', observation: 'no such city' })).toBe('Error: no such city');
    expect(formatObservation({ status: 'error', observation: 'Error: no such city' })).toBe('Error: no such city');
    expect(formatObservation({ status: 'error', observation: null })).toBe('Error: it failed without a message.');
    for (const status of ['not_run', 'cancelled', 'abandoned', 'unknown'] as const) {
      expect(formatObservation({ status, observation: null })).toMatch(/^Error: \w/);
      expect(formatObservation({ status, observation: 'stopped at noon' })).toBe('Error: stopped at noon');
    }
  });

  it("distinguishes people's answers from results of a tool", () => {
    const request = { rules: someRules, requestedAt: 0, expiresAt: null, digest: '', decisions: [] };
    const by = (kind: RequestKind): Partial<Call> => ({
      status: 'answered',
      observation: 'done',
      requests: [{ kind, ...request }],
    });
    expect(formatObservation(by('question'))).toBe('done');
    expect(formatObservation(by('approval'))).toBe('(Not run: a person answered instead.)\ndone');
    expect(formatObservation(by('outcome'))).toBe('(A person confirmed that it happened.)\ndone');
    expect(formatObservation({ status: 'answered', observation: null })).toBe('(no answer)');
    expect(formatObservation({ status: 'denied', observation: 'Denied by ana.' })).toBe('Denied by ana.');
    expect(formatObservation({ status: 'denied', observation: null })).toBe(
      'A person denied this call; it was not run.',
    );
    const changed = { changedFrom: { a: 1 }, input: { a: 2 } };
    expect(formatObservation({ ...changed, observation: 'done' })).toBe(
      '(A person changed the arguments to {"a":2}.)\ndone',
    );
  });

  it('shows the result of the earlier call, and names its step', () => {
    expect(formatObservation({ status: 'reused', reusedFrom: '1.1', observation: null })).toBe(
      '(same as in step 1) result of 1.1',
    );
    expect(formatObservation({ status: 'reused', reusedFrom: '9.1', observation: 'kept' })).toBe(
      '(same as in step 9) kept',
    );
  });

  it('finds the step in a chain with missing steps', () => {
    const chain = sampleChain([sampleStep(7), sampleStep(8)]);
    const call = sampleCall('8.2', { status: 'reused', reusedFrom: '7.1', observation: null });
    expect(renderObservation(chain, call)).toBe('(same as in step 7) result of 7.1');
  });
});
