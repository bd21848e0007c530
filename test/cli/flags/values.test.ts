/** Values of options: points in time and ages, and empty options. */

import { Command } from 'commander';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  collectValues,
  formatAge,
  formatTimeLeft,
  parseAgentFilter,
  parseTime,
  rejectEmptyOptions,
} from '../../../src/cli/flags/values.js';
import { formatTime } from '../../../src/core/lib/display.js';
import { matchError } from '../../support/match-error.js';

const now = Date.parse('2026-11-21T12:00:00Z');

describe('--since', () => {
  it.each([
    ['30m', '2026-11-21T11:30:00Z'],
    ['2h', '2026-11-21T10:00:00Z'],
    ['7d', '2026-11-14T12:00:00Z'],
    ['1.5h', '2026-11-21T10:30:00Z'],
    ['2026-11-20', '2026-11-20T00:00:00Z'],
    ['2026-11-20T14:00:00Z', '2026-11-20T14:00:00Z'],
    ['2026-11-20T14:00:00+02:00', '2026-11-20T12:00:00Z'],
  ])('%s', (written, at) => {
    expect(parseTime(written, now)).toBe(Date.parse(at));
  });

  it.each(['', 'yesterday', '5', '7 parsecs', '-2h', '2026-99-99', '1e3h', '2h; rm'])('rejects %j', (written) => {
    expect(() => parseTime(written, now)).toThrow(matchError('usage', `--since ${written}`));
  });

  it('subtracts any duration from now', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000 }), (n) => {
        expect(parseTime(`${n}s`, now)).toBe(now - n * 1_000);
      }),
    );
  });
});

describe('--agent of a filter', () => {
  it('names an agent, or one version of it', () => {
    expect(parseAgentFilter(undefined)).toEqual({ agent: null, agentVersion: null });
    expect(parseAgentFilter('weather')).toEqual({ agent: 'weather', agentVersion: null });
    expect(parseAgentFilter('weather@1.4.0')).toEqual({ agent: 'weather', agentVersion: '1.4.0' });
  });

  it.each(['weather@', '@1.4.0', '@'])('rejects %j', (written) => {
    expect(() => parseAgentFilter(written)).toThrow(matchError('usage', `--agent ${written}`));
  });
});

it.each([
  [0, '0s'],
  [59_999, '59s'],
  [60_000, '1m'],
  [3_600_000 * 5, '5h'],
  [86_400_000 * 40, '40d'],
  [-5, '0s'],
])('an age of %d ms is %s', (ms, shown) => {
  expect(formatAge(ms)).toBe(shown);
});

it.each([
  [-5, '0s'],
  [59_400, '59s'],
  [59_700, '1m'],
  [298_000, '5m'],
  [3_599_000, '1h'],
  [7 * 86_400_000 - 1_200_000, '7d'],
])('a time left of %d ms is rounded to the nearest unit, %s', (ms, shown) => {
  expect(formatTimeLeft(ms)).toBe(shown);
});

it('times are in UTC', () => {
  expect(formatTime(now)).toBe('2026-11-21 12:00:00 UTC');
});

function createAction(...args: readonly string[]): () => void {
  const action = vi.fn();
  const program = new Command().exitOverride().hook('preAction', (_, command) => rejectEmptyOptions(command));
  program
    .command('chain')
    .command('fork <chain>')
    .option('--steer <text>')
    .option('--limit <name=value>', 'repeatable', collectValues, [])
    .option('--wait')
    .action(action);
  program.parse(['chain', 'fork', 'c', ...args], { from: 'user' });
  return action;
}

it.each([
  [['--steer', ''], '--steer is empty.'],
  [['--steer', ' \n'], '--steer is empty.'],
  [['--limit', 'steps=1', '--limit', ''], '--limit is empty.'],
])('%j is rejected', (args, message) => {
  expect(() => createAction(...args)).toThrow(matchError('usage', message));
});

it('options with a value, and options without values, are accepted', () => {
  expect(createAction('--steer', 'Continue', '--limit', 'steps=1', '--wait')).toHaveBeenCalledOnce();
  expect(createAction()).toHaveBeenCalledOnce();
});
