/** The logs of the commands, without the failures that a chain itself shows. */

import type { LogMetadata } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { createFailure } from '../../../src/activities/context/failures.js';
import { type CommandLoggerOptions, createCommandLogger } from '../../../src/cli/flags/logger.js';
import { matchError } from '../../support/match-error.js';

const failedCall: LogMetadata = {
  isLocal: false,
  attempt: 2,
  namespace: 'default',
  taskToken: 'bG9uZw==',
  activityId: '3.1',
  activityType: 'get_weather',
  taskQueue: 'longhand',
  workflowId: 'demo-1',
  workflowRunId: 'run-1',
  workflowType: 'agent',
  error: createFailure('ToolError', 'There is no\nsuch city'),
  durationMs: 12,
};

async function collectLines(
  options: Partial<CommandLoggerOptions>,
  ...entries: readonly (readonly ['debug' | 'info' | 'warn' | 'error', string, LogMetadata?])[]
): Promise<string> {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  const logger = await createCommandLogger({ command: 'worker', env: {}, isTerminal: false, write, ...options });
  for (const [level, message, meta] of entries) logger[level](message, meta);
  return text;
}

describe('a worker without a terminal', () => {
  it('logs a failed call as one JSON object, with its chain and step and without a stack', async () => {
    const text = await collectLines({}, ['warn', 'Activity failed', failedCall]);
    expect(text.endsWith('\n')).toBe(true);
    expect(JSON.parse(text)).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      msg: 'Activity failed',
      chainId: 'demo-1',
      runId: 'run-1',
      call: '3.1',
      step: 3,
      activity: 'get_weather',
      attempt: 2,
      durationMs: 12,
      namespace: 'default',
      taskQueue: 'longhand',
      error: { type: 'ToolError', message: 'There is no\nsuch city' },
    });
  });

  it('logs the stack of a failed tool with its chain, step and call', async () => {
    const error = createFailure('TypeError', 'x is undefined', { stack: ['at parse (/app/tools.ts:3:9)'] });
    const text = await collectLines({}, ['warn', 'Activity failed', { ...failedCall, error }]);
    expect(JSON.parse(text)).toMatchObject({
      ...{ chainId: 'demo-1', step: 3, call: '3.1' },
      error: {
        type: 'TypeError',
        message: 'x is undefined',
        stack: 'TypeError: x is undefined\nat parse (/app/tools.ts:3:9)',
      },
    });
  });

  it('logs the chain that a line without one names, and keeps that of a call apart from a field of its tool', async () => {
    const text = await collectLines(
      { command: 'gateway' },
      ['info', 'Answered', { chainId: 'demo-2', caller: 'local' }],
      ['info', 'Booked', { ...failedCall, error: undefined, chainId: 'mine', time: 'noon' }],
    );
    const [answered, booked] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answered).toMatchObject({ chainId: 'demo-2', caller: 'local' });
    expect(booked).toMatchObject({ chainId: 'demo-1', chainId_: 'mine', time_: 'noon' });
  });

  it('logs fields of a tool, and the stack of an unexpected error', async () => {
    const error = new TypeError('x is not a function');
    const text = await collectLines(
      {},
      ['info', 'Booked', { activityId: 'model-4', seat: 7 }],
      ['error', 'Broken', { error }],
    );
    const [booked, broken] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(booked).toMatchObject({ level: 'info', msg: 'Booked', call: 'model-4', seat: 7 });
    expect(booked).not.toHaveProperty('step');
    expect(broken.error).toMatchObject({ type: 'TypeError', stack: expect.stringContaining('logger.test') });
  });

  it('logs from info up, or from LONGHAND_LOG_LEVEL up', async () => {
    const entries = [
      ['debug', 'one'],
      ['info', 'two'],
      ['warn', 'three'],
    ] as const;
    const messages = async (env: CommandLoggerOptions['env']) =>
      (await collectLines({ env }, ...entries))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).msg);
    expect(await messages({})).toEqual(['two', 'three']);
    expect(await messages({ LONGHAND_LOG_LEVEL: 'WARN' })).toEqual(['three']);
    expect(await messages({ LONGHAND_LOG_LEVEL: 'debug' })).toEqual(['one', 'two', 'three']);
  });
});

describe('a log entry', () => {
  const key = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
  const other = `ghp_${'z9Y8x7W6v5U4t3S2r1Q0p9O8n7M6l5K4j3I2'}`;
  const linesOf = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('has no secret in message, fields, error or stack, and one mark per secret of a chain', async () => {
    const at = { workflowId: 'demo-1' };
    const text = await collectLines(
      {},
      ['info', `Using ${key}`, { ...at, inside: [{ token: other }], password: 'correct-horse-9' }],
      ['error', 'Broken', { ...at, error: new Error(`No such key: ${key}`) }],
      ['info', `Using ${other}`, at],
    );
    for (const secret of [key, other, 'correct-horse-9']) expect(text).not.toContain(secret);
    const [first, second, third] = linesOf(text);
    expect(first).toMatchObject({ msg: 'Using [redacted:api-key]', password: expect.stringMatching(/^\[redacted:/) });
    expect(second.error.message).toBe('No such key: [redacted:api-key]');
    expect(second.error.stack).toContain('No such key: [redacted:api-key]');
    expect(third.msg).not.toBe(first.msg);
  });

  it('cannot replace the fields of its origin', async () => {
    const liar = {
      chainId: 'other',
      step: 99,
      level: 'fatal',
      time: 1,
      msg: 'no',
      workflowId: 'demo-1',
      activityId: '2.1',
    };
    const [line] = linesOf(await collectLines({}, ['info', 'Booked', liar]));
    expect(line).toMatchObject({ level: 'info', msg: 'Booked', chainId: 'demo-1', step: 2, call: '2.1' });
    expect(line).toMatchObject({ chainId_: 'other', step_: 99, level_: 'fatal', time_: 1, msg_: 'no' });
  });

  it('has the step of a model call', async () => {
    const call = { activityId: 'model-4', activityType: 'longhand.callModel', step: 3 };
    const [line] = linesOf(await collectLines({}, ['warn', 'Activity failed', call]));
    expect(line).toMatchObject({ call: 'model-4', step: 3 });
    const [again] = linesOf(await collectLines({}, ['info', 'Booked', { activityId: '3.1', step: 3 }]));
    expect(again).toMatchObject({ step: 3 });
    expect(again).not.toHaveProperty('step_');
  });

  it('may be any value', async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const [line] = linesOf(
      await collectLines({}, ['info', 'Odd', { circle, big: 10n, nothing: undefined, fn: () => 1 }]),
    );
    expect(line).toMatchObject({ msg: 'Odd', circle: '[object Object]', big: '10' });
  });
});

describe('on a terminal', () => {
  it('is a line that a person reads', async () => {
    const text = await collectLines({ isTerminal: true }, ['warn', 'Activity failed', failedCall]);
    expect(text).toMatch(
      /^\d\d:\d\d:\d\d WARN {2}Activity failed \(chain demo-1, step 3, call 3\.1, get_weather\): ToolError: There is no such city\n$/,
    );
  });

  it('shows the fields of a tool', async () => {
    const text = await collectLines({ isTerminal: true }, ['info', 'Booked', { workflowId: 'demo-1', seat: 7 }]);
    expect(text).toMatch(/INFO {2}Booked \(chain demo-1\) \{"seat":7\}\n$/);
  });

  it('has the frames and causes of a failed tool below it, with chain, step and call before them', async () => {
    const stack = ['at parse (/app/tools.ts:3:9)', 'Caused by Error: no \u001b[2Jroom'];
    const error = createFailure('TypeError', 'x is undefined', { stack });
    const text = await collectLines({ isTerminal: true }, ['warn', 'Activity failed', { ...failedCall, error }]);
    expect(text.split('\n').slice(0, -1)).toEqual([
      expect.stringMatching(/ \(chain demo-1, step 3, call 3\.1, get_weather\): TypeError: x is undefined$/),
      '    at parse (/app/tools.ts:3:9)',
      '    Caused by Error: no room',
    ]);
  });

  it('is one line without control characters, and then frames', async () => {
    const error = new Error('\u001b]0;owned\u0007no\n12:00:00 INFO  All is well');
    const meta = { workflowId: 'demo\u001b[2J-1', error, '\u009b31mseat': '\u202e7' };
    const text = await collectLines({ isTerminal: true }, ['warn', 'Hm\u001b[31m\nwell', meta]);
    expect(text).toMatch(
      /WARN {2}Hm well \(chain demo-1\): Error: no 12:00:00 INFO {2}All is well \{"seat":"\ufffd7"\}\n( {4}at .*\n)+$/,
    );
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it('is JSON or text as LONGHAND_LOG requests', async () => {
    const json = await collectLines({ isTerminal: true, env: { LONGHAND_LOG: 'json' } }, ['warn', 'Hm']);
    expect(JSON.parse(json)).toMatchObject({ msg: 'Hm' });
    expect(await collectLines({ env: { LONGHAND_LOG: 'text' } }, ['warn', 'Hm'])).toMatch(/WARN {2}Hm\n$/);
  });
});

describe('a command that shows a chain', () => {
  it('does not log failures that the chain shows, at any level', async () => {
    const env = { LONGHAND_LOG_LEVEL: 'debug' };
    const failed = ['warn', 'Workflow failed', { workflowId: 'demo-1', error: new Error('no') }] as const;
    expect(await collectLines({ command: 'chain', env }, ['warn', 'Activity failed', failedCall], failed)).toBe('');
  });

  it('logs other warnings as text, and nothing below', async () => {
    const text = await collectLines(
      { command: 'chain' },
      ['info', 'Worker state changed'],
      ['warn', 'The check threw'],
    );
    expect(text).toMatch(/^\d\d:\d\d:\d\d WARN {2}The check threw\n$/);
  });
});

it.each([
  ['LONGHAND_LOG', 'yaml'],
  ['LONGHAND_LOG_LEVEL', 'loud'],
])('rejects %s=%s with the valid values', async (name, value) => {
  await expect(collectLines({ env: { [name]: value } })).rejects.toThrow(matchError('usage', `${name}=${value}`));
});
