/**
 * The current state of a chain with a plan, for a view that is redrawn. L8: the scene contains only masked text.
 */

import type { FollowEvent } from '../../client/follow/event.js';
import { shorten } from '../../core/lib/display.js';
import type { ChildCharge } from '../../core/model/child.js';
import type { KnownTool } from '../../core/model/origin.js';
import type { Plan, Task } from '../../core/model/plan.js';
import { countTotalTokens } from '../../core/model/usage.js';
import { maskValue } from '../../core/print/entry-lines.js';
import { formatInterimText } from '../../core/print/interim-lines.js';
import { maskTask } from '../../core/print/plan-lines.js';
import { createSnippetMasker } from '../../core/view/snippet-masker.js';

export interface Scene {
  readonly agent: string;
  readonly goal: string;
  /** Null until the model has made one. */
  readonly plan: Pick<Plan, 'tasks' | 'revision'> | null;
  readonly thought: string;
  /** The current action, in one line. */
  readonly action: string;
  readonly steps: number;
  readonly maxSteps: number | null;
  readonly tokens: number;
  /** Null if the model has no price. */
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

/** Maximum length of a text, in characters: the view shows only a few lines. */
const maxTextLength = 2_000;

const maxInterimLength = 200;

/** Creates a function that applies an event and returns the new scene. */
export function createSceneReducer(): (event: FollowEvent) => Scene {
  const masker = createSnippetMasker();
  let tools: readonly KnownTool[] | null = null;
  let scene = emptyScene;
  const running = new Map<string, string>();
  /** The newest interim result of running calls. */
  const interims = new Map<string, string>();
  /** Last known charge of each sub-chain: it is reported again when more is known. */
  const charged = new Map<string, ChildCharge>();
  const task = (each: Task): Task => maskTask(each, masker);
  const formatRunning = ([call, text]: readonly [string, string]) =>
    interims.has(call) ? `${text} ⋯ ${interims.get(call)}` : text;
  const formatAction = () => [...running].map(formatRunning).join(' · ') || 'the model thinks';

  const after = (event: FollowEvent): Partial<Scene> => {
    switch (event.type) {
      case 'chain-started': {
        const { agent, task: goal, plan } = event.input;
        const tasks = (plan?.tasks ?? []).map((each) =>
          task({ ...each, status: 'pending', result: null, error: null, attempts: 0 }),
        );
        return {
          agent,
          goal: masker.block(goal, maxTextLength),
          plan: plan === undefined ? null : { tasks, revision: 1 },
          startedAt: event.at,
          action: plan === undefined ? 'the model makes a plan' : formatAction(),
        };
      }
      case 'agent-prepared':
        tools = event.agent.tools;
        return { maxSteps: event.agent.limits.steps, costUsd: event.agent.model.price === null ? null : 0 };
      case 'step-added': {
        const { number, thought, problem, calls, usage, costUsd } = event.step;
        masker.beginStep(tools, calls);
        running.clear();
        interims.clear();
        for (const call of calls) if (call.status === 'pending') running.set(call.id, masker.call(call));
        return {
          steps: number,
          thought: masker.block(
            problem === null ? (thought ?? scene.thought) : `invalid reply: ${problem}`,
            maxTextLength,
          ),
          action: formatAction(),
          tokens: scene.tokens + countTotalTokens(usage),
          costUsd: costUsd === null || scene.costUsd === null ? scene.costUsd : scene.costUsd + costUsd,
        };
      }
      case 'call-completed':
        masker.rememberResult(event.tool, event.result.observation);
        running.delete(event.result.call);
        interims.delete(event.result.call);
        return { action: formatAction() };
      case 'request-opened':
        return { action: `waits for a person: ${masker.line(event.tool, 100)} (${event.call})` };
      case 'request-decided':
        return { action: formatAction() };
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
    if (event.type === 'interim-result') {
      const { call, tool, interim } = event;
      if (interim === null || tools === null) interims.delete(call);
      else
        interims.set(
          call,
          shorten(formatInterimText(maskValue(masker, tool, interim.value, maxTextLength)), maxInterimLength),
        );
      scene = { ...scene, action: formatAction() };
    }
    if (!event.provisional) scene = { ...scene, ...after(event) };
    return scene;
  };
}
