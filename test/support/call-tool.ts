/** Calls a tool as a worker does, without one. */

import { expect } from 'vitest';
import type { Tool, ToolContext } from '../../src/index.js';

const nothing = () => {};

export function contextOf(given: Partial<ToolContext<string>> = {}): ToolContext<string> {
  return {
    signal: new AbortController().signal,
    idempotencyKey: 'key',
    attempt: 1,
    chainId: 'chain',
    step: 1,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    heartbeat: nothing,
    secret: (name) => `the secret ${name}`,
    artifact: () => Promise.reject(new Error('Nothing is kept here.')),
    ...given,
  };
}

/** Of some tools, by name. */
export function callOf(tools: () => readonly Tool[]) {
  const find = (name: string): Tool => {
    const found = tools().find((each) => each.name === name);
    if (found === undefined) throw new Error(`no tool ${name}`);
    return found;
  };
  const call = async (name: string, input: object, context: Partial<ToolContext<string>> = {}) =>
    find(name).parse(input)(contextOf(context));
  /** What a call fails with, for the model: it has no path of this machine in it. */
  const failure = async (name: string, input: object, context: Partial<ToolContext<string>> = {}) => {
    const error = await call(name, input, context).then(
      (value) => new Error(`gave back ${JSON.stringify(value)}`),
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof Error) || !/^(ToolError|NotDone)$/.test(error.name)) throw error;
    expect(error.message).not.toContain('/tmp');
    return `${error.name}: ${error.message}`;
  };
  return { find, call, failure };
}
