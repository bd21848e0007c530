/** The hand-written loop of engines without an agent of their own: bare requests, each of which the engine records. */

import { instructions, lookUp, maxTokens, messagesTool, model, tool } from '../../rig/task.ts';

/**
 * @param {string} url of the model server
 * @param {<T>(name: string, work: () => Promise<T>) => Promise<T>} record runs the work once, and records its result
 * @returns {Promise<string>} the answer
 */
export async function takeStock(url, task, record) {
  const messages = [{ role: 'user', content: task }];
  for (;;) {
    const content = await record('model', () => callModel(url, messages));
    messages.push({ role: 'assistant', content });
    const calls = content.filter(({ type }) => type === 'tool_use');
    if (calls.length === 0) return content.map(({ text }) => text).join('\n');
    const results = [];
    for (const { id, input } of calls) {
      results.push({
        type: 'tool_result',
        tool_use_id: id,
        content: await record(tool.name, async () => lookUp(input.part)),
      });
    }
    messages.push({ role: 'user', content: results });
  }
}

async function callModel(url, messages) {
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'none', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model, max_tokens: maxTokens, system: instructions, tools: [messagesTool], messages }),
  });
  if (!response.ok) throw new Error(`The model server answered ${response.status}.`);
  return (await response.json()).content;
}
