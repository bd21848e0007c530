/**
 * A chain with a plan as it stands: what a view of it that is drawn anew needs to know. L8: what is secret has its marks
 * from here on; nothing that was said is kept as it was.
 */

import type { ChainEvent } from '../../client/follow/follow.js';
import type { ChildCharge } from '../../core/model/child.js';
import type { KnownTool } from '../../core/model/origin.js';
import type { Plan, Task } from '../../core/model/plan.js';
import { countTotalTokens } from '../../core/model/usage.js';
import { maskTask } from '../../core/print/plan-lines.js';
import { createSnippetMasker } from '../../core/view/snippet-masker.js';

export interface Scene {
  readonly agent: string;
  readonly goal: string;
  /** Null until one is made. */
  readonly plan: Pick<Plan, 'tasks' | 'revision'> | null;
  readonly thought: string;
  /** What is being done now, in a line. */
  readonly action: string;
  readonly steps: number;
  readonly maxSteps: number | null;
  readonly tokens: number;
  /** Null where the model has no price. */
  readonly costUsd: number | null;
  /** Milliseconds since 1970; null before the start. */
  readonly startedAt: number | null;
}

const emptyScene: Scene = {
  agent: '',
  goal: '',
  plan: null,
  thought: '',
  action: '',
  steps: 0,
  maxSteps: null,
  tokens: 0,
  costUsd: null,
  startedAt: null,
};

/** Characters of a text that are looked at: a view shows some lines of it. */
const maxTextLength = 2_000;

/** @returns a function that takes in an event and gives the scene after it */
export function createSceneReducer(): (event: ChainEvent) => Scene {
  const shown = createSnippetMasker();
  let tools: readonly KnownTool[] | null = null;
  let scene = emptyScene;
  const running = new Map<string, string>();
  /** Of sub-chains: what each has taken is told again when more of it is known. */
  const charged = new Map<string, ChildCharge>();
  const task = (each: Task): Task => maskTask(each, shown);
  const doing = () => [...running.values()].join(' · ') || 'the model thinks';

  const after = (event: ChainEvent): Partial<Scene> => {
    switch (event.type) {
      case 'chain-started': {
        const { agent, task: goal, plan } = event.input;
        const tasks = (plan?.tasks ?? []).map((each) =>
          task({ ...each, status: 'pending', result: null, error: null, attempts: 0 }),
        );
        return {
          agent,
          goal: shown.block(goal, maxTextLength),
          plan: plan === undefined ? null : { tasks, revision: 1 },
          startedAt: event.at,
          action: plan === undefined ? 'the model makes a plan' : doing(),
        };
      }
      case 'agent-prepared':
        tools = event.agent.tools;
        return { maxSteps: event.agent.limits.steps, costUsd: event.agent.model.price === null ? null : 0 };
      case 'step-added': {
        const { number, thought, problem, calls, usage, costUsd } = event.step;
        shown.beginStep(tools, calls);
        running.clear();
        for (const call of calls) if (call.status === 'pending') running.set(call.id, shown.call(call));
        return {
          steps: number,
          thought: shown.block(
            problem === null ? (thought ?? scene.thought) : `could not be read: ${problem}`,
            maxTextLength,
          ),
          action: doing(),
          tokens: scene.tokens + countTotalTokens(usage),
          costUsd: costUsd === null || scene.costUsd === null ? scene.costUsd : scene.costUsd + costUsd,
        };
      }
      case 'call-completed':
        shown.rememberResult(event.tool, event.result.observation);
        running.delete(event.result.call);
        return { action: doing() };
      case 'request-opened':
        return { action: `waits for a person: ${shown.line(event.tool, 100)} (${event.call})` };
      case 'request-decided':
        return { action: doing() };
      case 'plan-changed':
        return { plan: { tasks: event.plan.tasks.map(task), revision: event.plan.revision } };
      case 'sub-chain-ended': {
        const { chainId, end } = event;
        if (end.charged === null) return {};
        const before = charged.get(chainId);
        charged.set(chainId, end.charged);
        const usd = (end.charged.usd ?? 0) - (before?.usd ?? 0);
        return {
          tokens: scene.tokens + end.charged.tokens - (before?.tokens ?? 0),
          costUsd: scene.costUsd === null ? null : scene.costUsd + usd,
        };
      }
      case 'chain-ended':
        return { action: '' };
      default:
        return {};
    }
  };

  return (event) => {
    if (!event.provisional) scene = { ...scene, ...after(event) };
    return scene;
  };
}
