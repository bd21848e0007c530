/** An agent whose tool leaks its secrets in many ways, each with a harmless word next to the secret. */

import { existsSync } from 'node:fs';
import { codeTools } from '@longhand/tools';
import { defineAgent, defineTool, NotDone, ToolError } from 'longhand';
import { z } from 'zod';

/** The harmless word next to each secret: a place with the word and without the secret was masked. */
export const visible = 'zyxvisibleqv';

export const ways = [
  ...['returns', 'throws', 'throws_tool_error', 'throws_not_done', 'throws_oddly', 'returns_oddly', 'rejects_later'],
  ...['logs', 'beats', 'crashes'],
] as const;

/** Resolves when the test has removed the file, after it has inspected the pending call. */
const waitUntilGone = (file: string, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (existsSync(file) && !signal.aborted) return;
      clearInterval(timer);
      resolve();
    }, 20);
  });

const blab = defineTool({
  name: 'blab',
  description: 'Reveals what it knows',
  inputSchema: z.object({ how: z.enum(ways), while: z.string().default('') }),
  effects: 'read',
  retry: { attempts: 2, backoff: 10 },
  secrets: ['FROM_ENVIRONMENT', 'FROM_FILE'],
  execute: async ({ how, while: file }, { secret, log, heartbeat, signal, attempt }) => {
    const keys = [secret('FROM_ENVIRONMENT'), secret('FROM_FILE')];
    const [key] = keys;
    const text = `${visible} ${keys.join(' ')}`;
    const values = {
      [`as a name ${text}`]: { deep: [[text]] },
      json: JSON.stringify(JSON.stringify({ keys, visible })),
      header: `Authorization: Bearer ${key}`,
      basic: keys.map((each) => `Basic ${Buffer.from(`user:${each}`).toString('base64')}`),
      encoded: keys.map((each) => [encodeURIComponent(each), Buffer.from(each).toString('hex')]),
      echo: { how, with: text },
    };
    const error = new TypeError(text, { cause: new Error(`inner ${text}`, { cause: text }) });
    Object.assign(error, { details: values, config: { headers: { 'x-api-key': key } }, code: text });
    error.stack = `TypeError: ${text}\n    at ${text} (/srv/${key}.ts:1:1)`;
    switch (how) {
      case 'returns':
        return values;
      case 'throws':
        error.name = `Error_${key}`;
        // The test inspects the first failure while the second attempt waits.
        if (attempt > 1) await waitUntilGone(file, signal);
        throw error;
      case 'throws_tool_error':
        throw new ToolError(text, { cause: error });
      case 'throws_not_done':
        throw new NotDone(text);
      case 'throws_oddly':
        throw { toString: () => text, message: text, key };
      case 'returns_oddly':
        return {
          toJSON: () => {
            throw error;
          },
        };
      case 'rejects_later':
        // biome-ignore lint/suspicious/noThenProperty: a returned thenable is the case under test.
        return { then: (_: unknown, reject: (reason: unknown) => void) => reject(error) } as unknown;
      case 'logs':
        for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](text, { ...values, error, key });
        return 'logged';
      case 'beats':
        heartbeat({ ...values, error });
        await waitUntilGone(file, signal);
        return 'beaten';
      case 'crashes':
        setTimeout(() => {
          throw error;
        });
        return new Promise(() => {});
    }
  },
});

/** Has an unknown outcome, which a person resolves. */
const risk = defineTool({
  name: 'risk',
  description: 'Risks something',
  inputSchema: z.object({}),
  effects: 'unsafe',
  approval: false,
  secrets: ['FROM_ENVIRONMENT'],
  execute: (_, { secret }) => {
    throw new Error(`${visible} after ${secret('FROM_ENVIRONMENT')}`);
  },
});

const given = { NPM_TOKEN: process.env.CONFIGURED ?? '' };
const shell = codeTools({ root: '.', env: given }).filter(({ name }) => name === 'shell_exec');

export const blabber = defineAgent({
  onProviderError: 'fail',
  name: 'blabber',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [blab, risk, ...shell],
  approval: { shell_exec: { grant: true } },
  limits: { steps: 40 },
});
