/** What a fact is in the audit log: who started, prepared, was asked, said, stopped. What became of calls, entries tell. */

import { digest } from '../lib/digest.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Directed, Direction } from '../model/direction.js';
import type { ChainInput, Fact, ModelFailure, ModelReply } from '../model/fact.js';
import { rootOf } from '../model/lineage.js';
import { unquote } from '../model/reading.js';
import { costOf } from '../model/usage.js';
import type { AuditEvent } from './entry.js';
import { chainLevel, type Told, type TurnScene, toolNamed } from './run-scene.js';

type Tells = readonly Told[];

export function ofFact(fact: Fact, scene: TurnScene): Tells {
  switch (fact.type) {
    case 'started':
      return started(fact.chainId, fact.input, scene);
    case 'prepared':
      return [prepared(fact.agent, scene)];
    case 'begun': {
      const { first } = fact;
      if (first === null) return [prepared(fact.agent, scene)];
      const { came } = first;
      const call =
        came.status === 'replied'
          ? replied(fact.call, came.reply, scene)
          : [modelFailed(fact.call, came.failure, scene)];
      return [prepared(fact.agent, scene), ...call];
    }
    case 'prepareFailed':
      return [
        {
          event: { type: 'agent_failed', what: { failure: fact.failure.type } },
          parts: scene.keeper.words('reason', fact.failure.message, chainLevel(scene)),
        },
      ];
    case 'modelReplied':
      return replied(fact.call, fact.reply, scene);
    case 'modelFailed':
      return [modelFailed(fact.call, fact.failure, scene)];
    case 'directed':
      return directed(fact, scene);
    case 'cancelRequested':
      return [
        {
          event: { type: 'cancel_requested', what: { summarize: fact.summarize } },
          who: { by: fact.by, roles: [] },
          parts: scene.keeper.words('reason', fact.reason, chainLevel(scene)),
        },
      ];
    default:
      return [];
  }
}

/** Anyone may have written what a chain is started with: what is not there is told as nothing. */
function started(chainId: string, input: ChainInput, scene: TurnScene): Tells {
  if (scene.before.input !== null) return [];
  const { model = null, limits = {}, user = null, roles = [], origin, plan, lineage } = input;
  const parent = lineage?.path?.at(-1);
  const level = chainLevel(scene);
  return [
    {
      event: {
        type: 'chain_started',
        what: {
          model,
          limits,
          parent:
            lineage === undefined || parent === undefined ? null : { chainId: parent.chainId, call: lineage.call },
          root: rootOf({ chainId, input }),
          origin: origin === undefined ? null : { chainId: origin.chainId, steps: origin.steps, digest: origin.digest },
          plan: plan?.name ?? null,
        },
      },
      who: { by: user, roles },
      parts: [
        ...scene.keeper.words('task', input.task ?? null, level),
        ...scene.keeper.words('message', origin?.message ?? null, level),
      ],
    },
  ];
}

function prepared(agent: AgentSnapshot, scene: TurnScene): Told {
  const tools = agent.tools.map(({ name, effects }) => {
    const { kind, level } = toolNamed(name, scene);
    return { name, kind, effects, level };
  });
  return {
    event: {
      type: 'agent_prepared',
      what: {
        definition: agent.digest,
        model: agent.model.name,
        strategy: agent.strategy.name,
        instructions: digest(agent.instructions),
        tools,
      },
    },
  };
}

/** A plan that was used again took no call of the model. */
function replied(call: string, reply: ModelReply, scene: TurnScene): Tells {
  if (reply.reusedPlan !== undefined) return [];
  const { turn, before, keeper, prompts } = scene;
  const step = turn.entries.find((entry) => entry.type === 'step' && `model-${entry.step.modelCall}` === call);
  const { thought, answer, problem } = unquote(reply.reading);
  const price = turn.state.agent?.model.price ?? null;
  const level = chainLevel(scene);
  const what: Extract<AuditEvent, { type: 'model_called' }>['what'] = {
    call,
    step: step?.type === 'step' ? step.step.number : null,
    purpose: before.flight.kind === 'model' && before.flight.call === call ? before.flight.purpose : 'late',
    model: reply.model,
    stopReason: reply.stopReason,
    usage: reply.usage,
    costUsd: step?.type === 'step' ? step.step.costUsd : price && reply.usage ? costOf(reply.usage, price) : null,
    prompt: prompts.get(call) ?? null,
  };
  const parts = [
    ...keeper.words('thought', thought, level),
    ...keeper.words('answer', answer, level),
    ...keeper.words('problem', problem, level),
  ];
  return [{ event: { type: 'model_called', what }, parts }];
}

function modelFailed(call: string, { kind, status, settle, usage, message }: ModelFailure, scene: TurnScene): Told {
  const prompt = scene.prompts.get(call) ?? null;
  return {
    event: { type: 'model_failed', what: { call, kind, status, settle, usage, prompt } },
    parts: scene.keeper.words('reason', message, chainLevel(scene)),
  };
}

/** What was decided about a call is told where it is taken (of-entry.ts); what was not, where that is said. */
function directed({ by, roles, reason, direction }: Directed, scene: TurnScene): Tells {
  if (direction.kind === 'decide') return [];
  const level = chainLevel(scene);
  return [
    {
      event: { type: 'directed', what: directionOf(direction) },
      who: { by, roles },
      parts: [...scene.keeper.words('text', textOf(direction), level), ...scene.keeper.words('reason', reason, level)],
    },
  ];
}

function directionOf(
  direction: Exclude<Direction, { kind: 'decide' }>,
): Extract<AuditEvent, { type: 'directed' }>['what'] {
  const nothing = { breakpoint: null, limits: null };
  switch (direction.kind) {
    case 'pause':
      return { ...nothing, direction: direction.at === null ? 'pause' : 'breakpoint', breakpoint: direction.at };
    case 'limit':
      return { ...nothing, direction: 'limits', limits: direction.limits };
    default:
      return { ...nothing, direction: direction.kind };
  }
}

function textOf(direction: Direction): string | null {
  return direction.kind === 'steer' ? direction.text : direction.kind === 'unreadable' ? direction.problem : null;
}
