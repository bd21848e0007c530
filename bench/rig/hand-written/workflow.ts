/**
 * The task as one writes it by hand: the workflow keeps the conversation and passes it to each call of the model.
 * Nothing here is made worse than it need be; what it costs is what passing the conversation costs.
 */

import type Anthropic from '@anthropic-ai/sdk';
import {
  condition,
  defineQuery,
  defineUpdate,
  executeChild,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from './activities.js';

const { callModel, callCounter } = proxyActivities<Pick<Activities, 'callModel' | 'callCounter'>>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
});
const tools = proxyActivities<Omit<Activities, 'callModel' | 'callCounter'>>({ startToCloseTimeout: '1m' });

export async function takeStock(task: string): Promise<string> {
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: task }];
  for (;;) {
    const reply = await callModel(messages);
    messages.push({ role: 'assistant', content: reply.content });
    const calls = reply.content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) return textOf(reply);
    messages.push({ role: 'user', content: await Promise.all(calls.map(observe)) });
  }
}

/** Looks up parts, each after an approval. */
export async function takeApprovedStock(parts: number): Promise<void> {
  let approvals = 0;
  let waitsFor = 0;
  setHandler(defineUpdate<void, [unknown]>('approve'), () => {
    approvals += 1;
  });
  setHandler(defineQuery<number>('waitsFor'), () => waitsFor);
  for (let part = 1; part <= parts; part += 1) {
    waitsFor = part;
    await condition(() => approvals >= part);
    await tools.look_up_part(`P-${part}`);
  }
}

/** Has each part counted by a child of its own, all at once. */
export async function haveCounted(tasks: readonly string[]): Promise<readonly string[]> {
  const { workflowId } = workflowInfo();
  return Promise.all(
    tasks.map((task, at) => executeChild(count, { workflowId: `${workflowId}/${at + 1}`, args: [task] })),
  );
}

export async function count(task: string): Promise<string> {
  return textOf(await callCounter([{ role: 'user', content: task }]));
}

async function observe(call: Anthropic.ToolUseBlock): Promise<Anthropic.ToolResultBlockParam> {
  const { part } = call.input as { part: string };
  return { type: 'tool_result', tool_use_id: call.id, content: await tools.look_up_part(part) };
}

function textOf(reply: { readonly content: readonly Anthropic.ContentBlock[] }): string {
  return reply.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
