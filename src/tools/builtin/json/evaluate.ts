/**
 * Evaluates a JMESPath expression in a thread of its own. An expression can double its data again and again: no count of its
 * characters limits its time and memory, so the thread is ended at its limits.
 */

import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Json } from '../../../core/lib/index.js';
import { ToolError } from '../../define/index.js';

const timeoutMs = 5_000;
const maxResultBytes = 1_000_000;

/** Plain JavaScript: a thread loads no TypeScript. Objects have no members but their own: an expression may name `constructor`. */
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const { search } = require(workerData.module);
const plain = Object.create(null, { hasOwnProperty: { value: Object.prototype.hasOwnProperty } });
const revive = (_, value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.setPrototypeOf(value, plain) : value;
const count = (value, left) => {
  if (typeof value === 'string') left -= value.length + 2;
  else if (typeof value !== 'object' || value === null) left -= 4;
  else for (const key of Object.keys(value)) {
    left = count(value[key], left - (Array.isArray(value) ? 1 : key.length + 4));
    if (left < 0) return left;
  }
  return left;
};
const answer = () => {
  let value;
  try { value = JSON.parse(workerData.text, revive); }
  catch (error) { return { problem: 'The data is no valid JSON: ' + error.message }; }
  try {
    const found = search(value, workerData.expression);
    if (count(found, workerData.maxBytes) < 0) return { large: true };
    return { text: JSON.stringify(found) ?? 'null' };
  } catch (error) {
    return { problem: 'The expression cannot be evaluated: ' + error.message };
  }
};
parentPort.postMessage(answer());
`;

type Answer = { readonly text: string } | { readonly problem: string } | { readonly large: true };

/** @param text JSON @throws {ToolError} @throws the reason of the signal */
export async function evaluateExpression(text: string, expression: string, signal: AbortSignal): Promise<Json> {
  signal.throwIfAborted();
  const module = createRequire(import.meta.url).resolve('jmespath');
  const thread = new Worker(program, {
    ...{ eval: true, env: {}, execArgv: [] },
    workerData: { module, text, expression, maxBytes: maxResultBytes },
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
  });
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let end = () => {};
  try {
    const answer = await new Promise<Answer>((resolve, reject) => {
      end = () => reject(signal.aborted ? signal.reason : new ToolError(tooLong));
      deadline.addEventListener('abort', end, { once: true });
      thread.once('message', resolve);
      thread.once('error', () => reject(new ToolError(tooMuch)));
      thread.once('exit', () => reject(new ToolError(tooMuch)));
    });
    if ('problem' in answer) throw new ToolError(`${answer.problem.slice(0, 500)}. Correct it.`);
    if ('large' in answer) throw new ToolError('The result is larger than 1 MB. Select less of it.');
    return JSON.parse(answer.text) as Json;
  } finally {
    deadline.removeEventListener('abort', end);
    await thread.terminate();
  }
}

const tooLong = `The expression was not evaluated within ${timeoutMs / 1_000} seconds. Write a simpler one.`;
const tooMuch = 'The expression needs too much memory. Write a simpler one.';
