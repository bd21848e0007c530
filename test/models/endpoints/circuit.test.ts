/** Circuits: when an endpoint is called, left alone and probed. */

import { expect, it } from 'vitest';
import {
  admitCall,
  type Circuit,
  type CircuitRules,
  closedCircuit,
  isOutage,
  recordOutage,
} from '../../../src/models/endpoints/circuit.js';

const rules: CircuitRules = { failures: 3, pauseMs: 1_000, longestPauseMs: 5_000 };

function recordOutages(times: number, at = 0): Circuit {
  let circuit = closedCircuit;
  for (let time = 0; time < times; time += 1) circuit = recordOutage(circuit, at, rules);
  return circuit;
}

it('opens with the last of the failures in a row, not before', () => {
  expect(recordOutages(2)).toEqual({ kind: 'closed', failures: 2 });
  expect(recordOutages(3, 500)).toEqual({ kind: 'open', until: 1_500, pauses: 1 });
});

it('stays as it is for failures of calls that began before it opened', () => {
  expect(recordOutages(9, 500)).toEqual({ kind: 'open', until: 1_500, pauses: 1 });
});

it('admits no call during the pause, and returns the time to wait', () => {
  expect(admitCall(recordOutages(3), 400, rules)).toEqual({ admitted: false, retryInMs: 600 });
});

it('is forgotten where nobody has probed it, and never waits longer than a pause', () => {
  const open = recordOutages(3);
  expect(admitCall(open, 6_001, rules)).toEqual({ admitted: true, probe: null });
  expect(admitCall(open, -100_000, rules)).toEqual({ admitted: false, retryInMs: 5_000 });
});

it('admits one probe after the pause; the others wait twice as long as before, up to the longest pause', () => {
  let circuit = recordOutages(3);
  const pauses: number[] = [];
  for (let at = 1_000; pauses.length < 4; at = circuit.until) {
    const admission = admitCall(circuit, at, rules);
    if (!admission.admitted || admission.probe === null) throw new Error('expected a probe');
    pauses.push(admission.probe.until - at);
    circuit = admission.probe;
    expect(admitCall(circuit, at, rules)).toMatchObject({ admitted: false });
  }
  expect(pauses).toEqual([2_000, 4_000, 5_000, 5_000]);
});

it('counts what means that the endpoint is out of order, and not what concerns the request or the key', () => {
  expect((['overloaded', 'server_error', 'connection'] as const).every(isOutage)).toBe(true);
  expect((['authentication', 'bad_request', 'rate_limit', 'cancelled', 'cut', 'timeout'] as const).some(isOutage)).toBe(
    false,
  );
});
