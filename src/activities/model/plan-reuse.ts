/**
 * Reuses plans for agents that allow it. The cache may be user code: the chain continues if it fails.
 *
 * 1. A plan is stored when the reply that ends the chain is read and all tasks are completed.
 * 2. No plan is reused or stored after a person has sent a message: the plan may depend on it.
 */

import { computePlanKey, type PlanCache } from '../../agents/plan-cache.js';
import { toErrorMessage } from '../../core/lib/errors.js';
import type { AgentSnapshot } from '../../core/model/agent.js';
import type { Chain } from '../../core/model/chain.js';
import { defaults } from '../../core/model/defaults.js';
import type { ModelReply } from '../../core/model/fact.js';
import type { PlannedTask } from '../../core/model/plan.js';
import type { Reading } from '../../core/model/reading.js';
import { noUsage } from '../../core/model/usage.js';
import { normalizeTasks } from '../../core/plan/normalize-tasks.js';
import { updatePlan } from '../../core/plan/update-plan.js';
import { withTimeout } from '../context/failures.js';

export interface PlanReuse {
  readonly plans: PlanCache;
  readonly warn: (message: string) => void;
}

/** Returns a reply with the stored plan, without a model call; null if the chain needs none or none is stored. */
export async function findReusedPlan(
  { plans, warn }: PlanReuse,
  chain: Chain,
  agent: AgentSnapshot,
): Promise<ModelReply | null> {
  const key = findPlanKey(chain, agent);
  if (key === null || chain.state.plan !== null) return null;
  const found = await tryOrWarn(
    async () => plans.get(key),
    (why) => warn(`Cannot look up a plan for the task: ${why}`),
  );
  const { tasks } = normalizeTasks(found);
  return tasks.length === 0 ? null : toReply(agent, tasks);
}

export async function storeCompletedPlan(
  { plans, warn }: PlanReuse,
  chain: Chain,
  agent: AgentSnapshot,
  { stopReason, reading }: Pick<ModelReply, 'stopReason'> & { readonly reading: Reading },
): Promise<void> {
  const key = findPlanKey(chain, agent);
  if (key === null || stopReason === 'pause_turn' || stopReason === 'refusal') return;
  const taken = updatePlan(chain.state, agent, { reading });
  const { plan } = taken.state;
  if (plan === null || taken.reading.answer === null) return;
  const worked = plan.tasks.every(({ status }) => status === 'completed');
  const isNew = plan.source === 'model' || (plan.source === 'reused' && plan.revision > 1);
  if (!worked || !isNew) return;
  const tasks = plan.tasks.map(({ id, description, dependsOn, tools, confirm, complexity }) => ({
    id,
    description,
    dependsOn,
    tools,
    confirm,
    ...(complexity === undefined ? {} : { complexity }),
  }));
  await tryOrWarn(
    async () => plans.put(key, tasks),
    (why) => warn(`Cannot store a completed plan: ${why}`),
  );
}

/** Null where plans of this chain are not used again. */
function findPlanKey({ state, messages }: Chain, agent: AgentSnapshot): string | null {
  const { strategy } = agent;
  if (strategy.name !== 'plan' || strategy.reuse === null || state.stop !== null || messages.length > 0) return null;
  return computePlanKey({ task: state.input?.task ?? '', tenant: state.input?.tenant ?? null }, agent);
}

function toReply(agent: AgentSnapshot, reusedPlan: readonly PlannedTask[]): ModelReply {
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
