/**
 * The current state of a chain with a plan, for a view that is redrawn. L8: the scene contains only what its reader may see.
 */

import { formatCall, omitUndefined, shorten } from '../../core/lib/index.js';
import type { Plan } from '../../core/model/index.js';
import { formatInterimText, type Spending, type StepView, sumSpending, toCallId } from '../../core/view/index.js';
import type { PrintItem } from './chain-printer.js';

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

/** Maximum characters of an interim result: the view shows only a few lines. */
const maxInterimLength = 200;

/** Creates a function that applies an event and returns the new scene. */
export function createSceneReducer(): (event: PrintItem) => Scene {
  let scene = emptyScene;
  const running = new Map<string, string>();
  /** The newest interim result of running calls. */
  const interims = new Map<string, string>();
  /** Of the chain's own sub-chains, with all chains below them. */
  const spentBelow = new Map<string, Spending>();
  const formatRunning = ([call, text]: readonly [string, string]) =>
    interims.has(call) ? `${text} ⋯ ${interims.get(call)}` : text;
  const formatAction = () => [...running].map(formatRunning).join(' · ') || 'the model thinks';

  const afterStep = (step: StepView): Partial<Scene> => {
    const call = toCallId(step);
    const isEnded =
      step.kind === 'tool_result' || (step.level === 'full' && step.kind === 'tool_call' && step.status !== 'pending');
    if (isEnded) {
      running.delete(call);
      interims.delete(call);
    }
    if (step.level === 'summary' && step.kind === 'tool_call' && step.status === 'pending')
      running.set(call, step.summary);
    if (step.level !== 'full') return { action: formatAction() };
    switch (step.kind) {
      case 'thinking': {
        const thought = step.problem === null ? step.thought : `invalid reply: ${step.problem}`;
        return { steps: step.number, thought: thought ?? scene.thought, action: formatAction() };
      }
      case 'tool_call':
        if (!isEnded) running.set(call, formatCall(step.tool, step.input));
        return { action: formatAction() };
      case 'approval':
        return {
          action: step.status === 'waiting' ? `waits for a person: ${step.tool} (${call})` : formatAction(),
        };
      case 'tool_result':
        return { action: formatAction() };
      default:
        return {};
    }
  };

  const after = (event: PrintItem): Partial<Scene> => {
    switch (event.type) {
      case 'view-opened': {
        const { agent, task, plan = null, startedAt, costUsd } = event.view;
        const maxSteps = 'limits' in event ? event.limits.steps : null;
        const action = plan === null ? 'the model makes a plan' : formatAction();
        return { agent, goal: task, plan, startedAt, costUsd, maxSteps, action };
      }
      case 'step-changed':
        return afterStep(event.step);
      case 'sub-chain-changed': {
        const { chainId, path, total } = event.child;
        if (path.length === 2 && total !== null) spentBelow.set(chainId, total);
        return {};
      }
      case 'turn-completed': {
        const own = { chains: 1, tokens: event.tokens, costUsd: event.costUsd };
        const { tokens, costUsd } = sumSpending([own, ...spentBelow.values()]);
        return { tokens, costUsd, ...omitUndefined({ plan: event.plan }) };
      }
      case 'interim-result':
        if (event.interim === null) interims.delete(event.call);
        else interims.set(event.call, shorten(formatInterimText(event.interim.value), maxInterimLength));
        return { action: formatAction() };
      case 'view-completed':
        return { action: '' };
      case 'token':
        return {};
    }
  };

  return (event) => {
    scene = { ...scene, ...after(event) };
    return scene;
  };
}
