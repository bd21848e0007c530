/**
 * Reuses plans for agents that allow it. The plans may be in a store or in user code: the chain continues if these fail.
 *
 * 1. A plan is stored when the reply that is read ends its chain in success, with all tasks completed.
 * 2. No plan is reused or stored after a person has sent a message, or for a task with files or earlier messages: the plan may
 *    depend on these.
 * 3. A plan is looked up before the first step only: a person who denies it gets one of the model.
 */

import { computePlanScope, type PlanCache } from '../../agents/index.js';
import { applyReply, compareGoals, maxShownGoal, normalizeTasks } from '../../core/engine/index.js';
import { omitUndefined, shorten, toErrorMessage } from '../../core/lib/index.js';
import {
  type AgentSnapshot,
  type Chain,
  defaults,
  type ModelReply,
  noUsage,
  type PlanOptions,
  type PlanScope,
  type ReusedPlan,
  type StoredPlan,
  type Task,
} from '../../core/model/index.js';
import { withTimeout } from '../../timing/index.js';

export interface PlanReuse {
  readonly plans: PlanCache;
  readonly warn: (message: string) => void;
}

/** Returns a reply with a stored plan, without a model call; null if the chain needs none or none is similar. */
export async function findReusedPlan(
  { plans, warn }: PlanReuse,
  chain: Chain,
  agent: AgentSnapshot,
): Promise<ModelReply | null> {
  const { strategy } = agent;
  const scope = findPlanScope(chain, agent);
  if (scope === null || strategy.name !== 'plan' || chain.state.plan !== null || chain.state.steps > 0) return null;
  const reused = await tryOrWarn(
    async () => pickPlan(await plans.list(scope), chain.state.input?.task ?? '', strategy),
    (why) => warn(`Cannot look up a plan for the task: ${why}`),
  );
  return reused === null ? null : toReply(agent, reused);
}

export async function storeCompletedPlan(
  { plans, warn }: PlanReuse,
  chain: Chain,
  agent: AgentSnapshot,
  reply: ModelReply,
): Promise<void> {
  const scope = findPlanScope(chain, agent);
  const { chainId, startedAt, input } = chain.state;
  if (scope === null || input === null) return;
  const { stop, plan } = applyReply(chain.state, reply).state;
  if (stop?.outcome !== 'success' || plan === null) return;
  const worked = plan.tasks.every(({ status }) => status === 'completed');
  const isNew = plan.source === 'model' || (plan.source === 'reused' && plan.revision > 1);
  if (!worked || !isNew) return;
  const tasks = plan.tasks.map(toPlannedTask);
  await tryOrWarn(
    async () => plans.put(scope, { tasks, goal: input.task, chainId, user: input.user, startedAt }),
    (why) => warn(`Cannot store a completed plan: ${why}`),
  );
}

/** Null where plans of this chain are not used again. */
function findPlanScope({ state, messages }: Chain, agent: AgentSnapshot): PlanScope | null {
  const { strategy } = agent;
  if (strategy.name !== 'plan' || strategy.reuse === null || state.stop !== null) return null;
  // A plan shows its goal to the models of later chains, which may not see this chain's data.
  if (state.dataClasses.length > 0) return null;
  if (messages.length > 0 || (state.input?.files ?? []).length > 0 || state.input?.earlier !== undefined) return null;
  return computePlanScope(state.input?.tenant ?? null, agent);
}

/** Picks the most similar plan; of several, the newest. */
function pickPlan(
  plans: readonly StoredPlan[],
  task: string,
  { reuseSimilarity }: Pick<PlanOptions, 'reuseSimilarity'>,
): ReusedPlan | null {
  const [best] = plans
    .map((plan) => ({ plan, similarity: compareGoals(plan.goal, task) }))
    .filter(({ similarity }) => similarity > 0 && similarity >= reuseSimilarity)
    .sort((a, b) => b.similarity - a.similarity);
  if (best === undefined) return null;
  const { tasks } = normalizeTasks(best.plan.tasks);
  if (tasks.length === 0) return null;
  const { chainId, goal } = best.plan;
  // Rounded down: only the same words are 1.
  return { tasks, chainId, goal: shorten(goal, maxShownGoal), similarity: Math.floor(best.similarity * 100) / 100 };
}

function toPlannedTask({ id, description, dependsOn, tools, confirm, complexity, why }: Task) {
  return { id, description, dependsOn, tools, confirm, ...omitUndefined({ complexity, why }) };
}

function toReply(agent: AgentSnapshot, reusedPlan: ReusedPlan): ModelReply {
  const reading = { thought: null, calls: [], answer: null, problem: null, scratchpad: null, content: [] };
  return {
    provider: null,
    request: null,
    model: agent.model.name,
    stopReason: 'end_turn',
    usage: noUsage,
    reading,
    check: null,
    approvals: null,
    reusedPlan,
  };
}

async function tryOrWarn<T>(work: () => Promise<T>, failed: (why: string) => void): Promise<T | null> {
  try {
    const done = await withTimeout(work(), defaults.checkMs);
    if (done === null) failed(`it took longer than ${defaults.checkMs} ms`);
    return done?.value ?? null;
  } catch (error) {
    failed(toErrorMessage(error));
    return null;
  }
}
