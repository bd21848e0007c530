/** Calls a tool as a worker does, without a worker. */

import { expect } from 'vitest';
import type { Tool, ToolContext } from '../../src/index.js';

const nothing = () => {};

export function contextOf(given: Partial<ToolContext<string>> = {}): ToolContext<string> {
  return {
    signal: new AbortController().signal,
    idempotencyKey: 'key',
    attempt: 1,
    chainId: 'chain',
    tenant: null,
    user: null,
    roles: [],
    step: 1,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    heartbeat: nothing,
    emit: nothing,
    visibility: nothing,
    ask: () => Promise.reject(new Error('Nobody answers in this context.')),
    secret: (name) => `the secret ${name}`,
    artifact: () => Promise.reject(new Error('This context stores no artifacts.')),
    ...given,
  };
}

/** Returns functions that call these tools by name. */
export function callOf(tools: () => readonly Tool[]) {
  const find = (name: string): Tool => {
    const found = tools().find((each) => each.name === name);
    if (found === undefined) throw new Error(`no tool ${name}`);
    return found;
  };
  const call = async (name: string, input: object, context: Partial<ToolContext<string>> = {}) =>
    find(name).parse(input)(contextOf(context));
  /** Returns the error of a failed call as the model sees it, without paths of this machine. */
  const failure = async (name: string, input: object, context: Partial<ToolContext<string>> = {}) => {
    const error = await call(name, input, context).then(
      (value) => new Error(`returned ${JSON.stringify(value)}`),
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof Error) || !/^(ToolError|NotDone)$/.test(error.name)) throw error;
    expect(error.message).not.toContain('/tmp');
    return `${error.name}: ${error.message}`;
  };
  return { find, call, failure };
}
