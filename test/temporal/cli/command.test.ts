/**
 * The built command line: its output in each stream, and the exit codes that scripts rely on. In a process of its own where
 * pipes, signals and the exit itself matter, else in this one.
 */

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ChainResult } from '../../../src/entries/client.js';
import type { Trace } from '../../../src/entries/view.js';
import { budget } from '../../support/budget.js';
import { type Ended, longhand } from '../../support/command.js';
import { longhandHere } from '../../support/command-here.js';
import { type ScriptedReply, startMessagesServer } from '../../support/messages-server.js';
import { acts, answers } from '../../support/react-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';

const agent = ['meteorologist', 'Compare the weather', '--module', 'examples/weather.ts'];
const looks = acts('I need the weather in Paris.', 'get_weather', { city: 'Paris' });
const done = answers('I know it now.', 'It rains in Paris.');

type Command = (...given: Parameters<typeof longhandHere>) => Promise<Ended>;

const longhandAlone: Command = (...given) => longhand(...given).end;

function run(replies: readonly ScriptedReply[], ...flags: readonly string[]): Promise<Ended> {
  return runBy(longhandHere, replies, ...flags);
}

async function runBy(command: Command, replies: readonly ScriptedReply[], ...flags: readonly string[]): Promise<Ended> {
  const models = await startMessagesServer(replies);
  const own = ['--task-queue', `test-${randomUUID()}`];
  const ended = await command(['run', ...agent, ...own, ...flags], createEnv(models.url));
  await models.close();
  return ended;
}

function createEnv(model: string): Record<string, string> {
  return { TEMPORAL_ADDRESS: getTemporalAddress(), LONGHAND_MODEL_URL: model };
}

describe('longhand run', () => {
  it('prints the steps of the chain without colours into a pipe and exits 0', async () => {
    const { code, stdout } = await runBy(longhandAlone, [looks, done]);
    expect(code).toBe(0);
    expect(stdout).toContain('  [THINKING] I need the weather in Paris.');
    expect(stdout).toContain('[TOOL: get_weather] city="Paris"');
    expect(stdout).toMatch(/→ \{.*Paris/);
    expect(stdout).toContain('It rains in Paris.');
    expect(stdout).not.toContain('\u001b[');
  });

  it('prints the tokens of the model with --tokens', async () => {
    const thought = `I wonder about it for a good while${', and then for a while longer'.repeat(6)}`;
    const { code, stdout } = await run([{ ...answers(thought, 'It rains.'), chunkDelayMs: 5 }], '--tokens');
    expect(code).toBe(0);
    // Once as tokens, and once more as the step.
    expect(stdout.split('I wonder about it for a good while')).toHaveLength(3);
  });

  it('prints one object and nothing else with --json', async () => {
    const { code, stdout } = await run([looks, done], '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'success', answer: 'It rains in Paris.', steps: 2 });
    expect(stdout.trim().split('\n')).toHaveLength(1);
  });

  it('prints the trace with the duration of the chain and of each step with --trace', async () => {
    const text = await run([looks, done], '--trace');
    expect(text.code).toBe(0);
    expect(text.stdout).toMatch(/^Trace +2 steps · took [\d.]+ m?s$/m);
    expect(text.stdout).toMatch(/^├─ Step 1 +took [\d.]+ m?s$/m);
    expect(text.stdout).toMatch(/^└─ Step 2 +took [\d.]+ m?s$/m);
    const json = await run([looks, done], '--trace', '--json');
    const { durationMs, trace } = JSON.parse(json.stdout) as ChainResult & { readonly trace: Trace };
    expect(trace).toMatchObject({ outcome: 'success', answer: 'It rains in Paris.', durationMs });
    const answer = 'It rains in Paris.';
    expect(trace.steps.map(({ actions }) => actions)).toMatchObject([[{ tool: 'get_weather' }], [{ answer }]]);
    for (const step of trace.steps) expect(step.durationMs).toBe(Date.parse(step.endedAt) - Date.parse(step.startedAt));
  });

  it('exits 3 when a limit stopped the chain', async () => {
    const { code, stdout } = await run([looks, { text: 'It rains.' }], '--limit', 'steps=1', '--json');
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'max_iterations', partial: 'It rains.' });
  });

  it('exits 1 when the chain failed', async () => {
    const rejected = { status: 401, error: { type: 'authentication_error', message: 'invalid key' } };
    const { code, stdout } = await run([rejected], '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'failure' });
  });

  it('cancels the chain on Ctrl-C, stops the model and exits 130', async () => {
    const models = await startMessagesServer([{ hang: true, afterEvents: 3, text: 'Thought: let me' }]);
    const flags = ['--task-queue', `test-${randomUUID()}`];
    const running = longhand(['run', ...agent, ...flags], createEnv(models.url));
    await expect.poll(() => models.requests.length).toBe(1);
    running.process.kill('SIGINT');
    const { code, stdout } = await running.end;
    expect(code).toBe(130);
    expect(stdout).toContain('Ctrl-C');
    expect(models.aborted).toBe(1);
    await models.close();
  });

  it.each([
    [['run', 'nobody', 'x', '--module', 'examples/weather.ts'], 'Agent nobody not found. Available: meteorologist.'],
    [['run', 'meteorologist', 'x', '--module', 'nowhere.ts'], 'Module nowhere.ts not found.'],
    [['run', ...agent, '--limit', 'steps=many'], 'Invalid limit steps=many.'],
    [['run', 'meteorologist', ' '], 'The task is empty'],
    [['start', 'meteorologist', ''], 'The task is empty'],
    [['run', ...agent, '--prices', 'nope.json'], 'Cannot read the price map nope.json'],
    [['run', 'meteorologist', 'x', '--module', 'examples'], 'examples is a folder.'],
    [['run', ...agent], 'No model is configured. Set ANTHROPIC_API_KEY'],
    [['frobnicate'], "unknown command 'frobnicate'"],
  ])('exits 2 and reports the invalid argument: %j', async (args, message) => {
    const { code, stderr } = await longhandHere(args, { TEMPORAL_ADDRESS: getTemporalAddress() });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
  });
});

describe('a command', () => {
  const model = { LONGHAND_MODEL_URL: 'http://127.0.0.1:9' };
  const here = () => ({ ...model, TEMPORAL_ADDRESS: getTemporalAddress() });

  it.each([
    ['run', ...agent],
    ['start', 'meteorologist', 'x'],
    ['worker', '--module', 'examples/weather.ts'],
  ])('%s exits 2 for an unknown namespace and prints the command that creates it', async (...args) => {
    const { code, stderr } = await longhandHere(args, { ...here(), TEMPORAL_NAMESPACE: 'nope' });
    expect(code).toBe(2);
    expect(stderr).toContain(
      'Namespace nope not found on this server. Run `temporal operator namespace create --namespace nope`, or set TEMPORAL_NAMESPACE to another one.',
    );
    expect(stderr).not.toContain('Status');
  });

  it.each([['run', ...agent], ['dev']])('%s exits 2 if no server answers at TEMPORAL_ADDRESS', async (...args) => {
    const { code, stderr } = await longhandHere(args, { ...model, TEMPORAL_ADDRESS: '127.0.0.1:1' });
    expect(code).toBe(2);
    expect(stderr).toContain(
      'No Temporal server answers at 127.0.0.1:1. Start it, or correct TEMPORAL_ADDRESS or --address.',
    );
  });

  it('run exits 1 for an id that exists and names its flag', async () => {
    const id = `chain-${randomUUID()}`;
    await longhandHere(['start', 'meteorologist', 'x', '--id', id, '--task-queue', id], here());
    const { code, stderr } = await longhandHere(['run', ...agent, '--id', id], here());
    expect(code).toBe(1);
    expect(stderr).toContain(`Chain ${id} already exists. Choose another --id.`);
  });
});

describe('longhand dev', () => {
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ['model', ['--module', 'examples/weather.ts'], 'No model is configured'],
    ['agent', [], 'No agents found.'],
  ];
  it.each(cases.slice(0, budget(1, 2)))(
    'runs the server without a worker if there is no %s, until Ctrl-C',
    async (_, args, why) => {
      const running = longhand(['dev', '--db', 'chains.db', ...args], { TEMPORAL_ADDRESS: getTemporalAddress() });
      await expect.poll(running.readStderr).toContain('Press Ctrl-C to stop.');
      expect(running.readStderr()).toContain(`Worker      none. ${why}`);
      expect(running.readStderr()).toContain('--db chains.db is ignored');
      expect(running.readStderr()).toContain(`in other shells: export TEMPORAL_ADDRESS=${getTemporalAddress()}`);
      running.process.kill('SIGINT');
      const { code, stderr } = await running.end;
      expect([code, stderr]).toEqual([0, expect.stringMatching(/\nStopped\.\n$/)]);
    },
  );

  it('exits 2 for a module that does not exist', async () => {
    const { code, stderr } = await longhandHere(['dev', '--module', 'nowhere.ts'], {
      TEMPORAL_ADDRESS: getTemporalAddress(),
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('Module nowhere.ts not found.')]);
  });
});

describe('longhand demo', () => {
  it('reports refused when the rehearsed model has no reply', async () => {
    const { code, stdout, stderr } = await longhandHere(['demo', 'Write a poem'], {
      TEMPORAL_ADDRESS: getTemporalAddress(),
    });
    expect(code).toBe(1);
    expect(stdout).toContain('■ refused  The model refused to continue.');
    expect(stdout).not.toContain('✓');
    expect(stderr).toMatch(/know only the tasks of the demo.*ANTHROPIC_API_KEY/s);
  });
});

describe('longhand start and worker', () => {
  it('start a chain that another worker runs, and the worker stops at SIGTERM', async () => {
    const models = await startMessagesServer([looks, done]);
    const queue = ['--task-queue', `test-${randomUUID()}`];
    const id = `chain-${randomUUID()}`;
    const start = ['start', 'meteorologist', 'Compare', '--id', id, ...queue];
    expect(await longhandHere(start, createEnv(models.url))).toMatchObject({ code: 0, stdout: `${id}\n` });
    const worker = longhand(['worker', '--module', 'examples/weather.ts', ...queue], createEnv(models.url));
    const { stdout, stderr } = await longhandHere([...start, '--join', '--wait', '--json'], createEnv(models.url));
    expect(stderr).toContain(`Following ${id}`);
    expect(JSON.parse(stdout)).toMatchObject({ chainId: id, outcome: 'success' });
    worker.process.kill('SIGTERM');
    expect((await worker.end).code).toBe(0);
    await models.close();
  });
});
