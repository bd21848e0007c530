/** Agents that delegate, for chains on the real server. The instructions in the prompt name the role. */

import type { Agent, AgentDefinition } from '../../src/agents/agent-definition.js';
import { defineAgent } from '../../src/agents/define-agent.js';
import { workflowType } from '../../src/contract/names.js';
import type { Longhand } from '../../src/entries/client.js';
import type { Call } from '../../src/index.js';
import type { RecordedRequest } from './messages-server.js';
import type { ScriptedReply } from './scripted-reply.js';

/** A request to the model, as a script sees it. */
export interface Turn {
  /** From 1. */
  readonly step: number;
  readonly task: string;
  /** The newest message: the task, or the results of the last step's calls. */
  readonly last: string;
  /** All messages of the request. */
  readonly all: string;
}

export type Role = (turn: Turn) => ScriptedReply;

/** Creates an agent whose model replies as the role with its name. */
export function createActor(name: string, more: Partial<Omit<AgentDefinition, 'name'>> = {}): Agent {
  return defineAgent({
    name,
    instructions: `You are ${name}.`,
    model: 'claude-sonnet-5-5',
    strategy: 'tools',
    ...more,
  });
}

/** Returns the replies of all roles. @throws for an agent without a role */
export function playRoles(roles: Readonly<Record<string, Role>>): (request: RecordedRequest) => ScriptedReply {
  return ({ body }) => {
    const system = JSON.stringify(body.system ?? '');
    const name = /You are ([\w-]+)\./.exec(system)?.[1] ?? '';
    const role = roles[name];
    if (role === undefined) throw new Error(`No role is named ${name}.`);
    const texts = body.messages.map(({ content }) => toText(content));
    return role({
      step: body.messages.filter((message) => message.role === 'assistant').length + 1,
      task: texts[0] ?? '',
      last: texts.at(-1) ?? '',
      all: texts.join('\n'),
    });
  };
}

function toText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content
    .map((block: { readonly text?: unknown; readonly content?: unknown }) =>
      typeof block.text === 'string' ? block.text : block.content === undefined ? '' : toText(block.content),
    )
    .join('\n');
}

/** Delegates once, in a single step, and then answers with the results. */
export function delegateOnce(...calls: readonly { readonly name: string; readonly input: object }[]): Role {
  return ({ step, last }) =>
    step === 1
      ? { text: 'I ask.', calls: calls as readonly { name: string; input: never }[] }
      : { text: `Results: ${last}` };
}

export const callAgent = (name: string, text = `do what ${name} does`) => ({ name, input: { task: text } });

/** Returns the calls of a step, as readers see them. */
export async function listCalls(longhand: Longhand, chainId: string, step = 1): Promise<readonly Call[]> {
  const chain = await longhand.getHandle(chainId).read();
  return chain.steps[step - 1]?.calls ?? [];
}

/** Returns the ids of the running chains of a tree, including the root. */
export async function listRunning({ client }: Longhand, root: string): Promise<readonly string[]> {
  const ids: string[] = [];
  const query = `WorkflowType = '${workflowType}' AND ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH '${root}'`;
  for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId);
  return ids.sort();
}

/** Returns a function whose callers wait until this number of them has called it. */
export function createMeeting(many: number): (signal?: AbortSignal) => Promise<void> {
  let arrived = 0;
  let open: () => void = () => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  return (signal) => {
    arrived += 1;
    if (arrived >= many) open();
    const stopped = new Promise<void>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    return Promise.race([all, stopped]);
  };
}
