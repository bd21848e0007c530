/** Drafts audit events from facts: starts, preparations, model calls, commands. Results of calls are in entry-events.ts. */

import { getCallPrice, getRequester } from '../engine/index.js';
import { computeDigest, type Json } from '../lib/index.js';
import {
  type AgentSnapshot,
  type CallRoute,
  type ChainInput,
  type Command,
  changeState,
  computeCost,
  expandReading,
  type Fact,
  findEarlier,
  formatPromptRef,
  getRootId,
  getStrategyName,
  type ModelFailure,
  type ModelReply,
  type ReceivedCommand,
  toFilesValue,
} from '../model/index.js';
import type { AuditEvent, AuditRoute } from './entry.js';
import { type EventDraft, getChainLevel, getKnownTool, type TurnContext } from './turn-context.js';

type EventDrafts = readonly EventDraft[];

export function draftFactEvents(fact: Fact, scene: TurnContext): EventDrafts {
  switch (fact.type) {
    case 'started':
      return draftChainStarted(fact.chainId, fact.input, scene);
    case 'prepared':
      return [draftAgentPrepared(fact.agent, scene)];
    case 'prepareFailed':
      return [
        {
          event: { type: 'agent_failed', what: { failure: fact.failure.type } },
          parts: scene.drafter.draftText('reason', fact.failure.message, getChainLevel(scene)),
        },
      ];
    case 'modelReplied':
      return draftModelCalled(fact.call, fact.reply, scene);
    case 'modelFailed':
      return [draftModelFailed(fact.call, fact.failure, scene)];
    case 'commandReceived':
      return draftCommand(fact, scene);
    case 'cancelRequested':
      return [
        {
          event: { type: 'cancel_requested', what: { summarize: fact.summarize } },
          who: { by: fact.by, roles: [] },
          parts: scene.drafter.draftText('reason', fact.reason, getChainLevel(scene)),
        },
      ];
    default:
      return [];
  }
}

/** The input is untrusted: members may be missing. */
function draftChainStarted(chainId: string, input: ChainInput, scene: TurnContext): EventDrafts {
  if (scene.before.input !== null) return [];
  const { model = null, limits = {}, origin, plan, lineage, thread = null } = input;
  const { user, roles } = getRequester({ input });
  const parent = lineage?.path?.at(-1);
  const level = getChainLevel(scene);
  return [
    {
      event: {
        type: 'chain_started',
        what: {
          model,
          limits,
          parent:
            lineage === undefined || parent === undefined ? null : { chainId: parent.chainId, call: lineage.call },
          root: getRootId({ chainId, input }),
          origin: origin === undefined ? null : { chainId: origin.chainId, steps: origin.steps, digest: origin.digest },
          thread,
          plan: plan?.name ?? null,
        },
      },
      who: { by: user, roles },
      parts: [
        ...scene.drafter.draftText('task', input.task ?? null, level),
        ...scene.drafter.draftText('earlier', listGivenMessages(input), level),
        ...scene.drafter.draftText('files', toFilesValue(input.files), level),
        ...scene.drafter.draftText('message', origin?.message ?? null, level),
      ],
    },
  ];
}

/** Messages of other chains are in the entries of those chains, masked by the rules of their tools. */
function listGivenMessages(input: ChainInput): Json {
  const earlier = findEarlier(input);
  if (earlier === null || input.thread !== undefined || input.origin !== undefined) return null;
  return earlier.messages.map(({ role, text }) => ({ role, text }));
}

function draftAgentPrepared(agent: AgentSnapshot, scene: TurnContext): EventDraft {
  const tools = agent.tools.map(({ name, effects }) => {
    const { kind, level } = getKnownTool(name, scene);
    return { name, kind, effects, level };
  });
  return {
    event: {
      type: 'agent_prepared',
      what: {
        version: agent.version,
        definition: agent.digest,
        model: agent.model.name,
        strategy: getStrategyName(agent.strategy),
        instructions: computeDigest(agent.instructions),
        ...(agent.prompt === undefined ? {} : { prompt: formatPromptRef(agent.prompt) }),
        tools,
      },
    },
  };
}

/** A plan that was used again needed no model call. */
function draftModelCalled(call: string, reply: ModelReply, scene: TurnContext): EventDrafts {
  if (reply.reusedPlan !== undefined) return [];
  const { turn, before, drafter, prompts } = scene;
  const step = turn.entries.find((entry) => entry.type === 'step-added' && `model-${entry.step.modelCall}` === call);
  const { thought, answer, problem } = expandReading(reply.reading);
  const price = getCallPrice(changeState(before, { agent: turn.state.agent }), reply.route);
  const level = getChainLevel(scene);
  const what: Extract<AuditEvent, { type: 'model_called' }>['what'] = {
    call,
    step: step?.type === 'step-added' ? step.step.number : null,
    purpose: before.flight.kind === 'model' && before.flight.call === call ? before.flight.purpose : 'late',
    provider: reply.provider,
    model: reply.model,
    endpoint: reply.endpoint ?? null,
    region: reply.region ?? null,
    stopReason: reply.stopReason,
    route: toAuditRoute(reply.route),
    usage: reply.usage,
    costUsd:
      step?.type === 'step-added' ? step.step.costUsd : price && reply.usage ? computeCost(reply.usage, price) : null,
    prompt: prompts.get(call) ?? null,
    request: reply.request,
    ...(reply.cached === undefined ? {} : { cached: true }),
  };
  const parts = [
    ...drafter.draftText('reason', reply.route?.reason ?? null, level),
    ...drafter.draftText('thought', thought, level),
    ...drafter.draftText('answer', answer, level),
    ...drafter.draftText('problem', problem, level),
  ];
  return [{ event: { type: 'model_called', what }, parts }];
}

function draftModelFailed(
  call: string,
  { kind, status, settle, usage, message, route }: ModelFailure,
  scene: TurnContext,
): EventDraft {
  const prompt = scene.prompts.get(call) ?? null;
  return {
    event: { type: 'model_failed', what: { call, kind, status, settle, usage, route: toAuditRoute(route), prompt } },
    parts: scene.drafter.draftText('reason', message, getChainLevel(scene)),
  };
}

/** The reason of a policy may quote the task, so it is a content. */
function toAuditRoute(route: CallRoute | undefined): AuditRoute | null {
  if (route === undefined) return null;
  const { reason: _, ...named } = route;
  return named;
}

/** Drafts a command. Decisions about calls and rejected commands are in entry-events.ts. */
function draftCommand({ by, roles, reason, command }: ReceivedCommand, scene: TurnContext): EventDrafts {
  if (command.kind === 'decide') return [];
  const level = getChainLevel(scene);
  return [
    {
      event: { type: 'command_received', what: toCommandDetails(command) },
      who: { by, roles },
      parts: [
        ...(command.kind === 'signal'
          ? scene.drafter.draftSignal({ name: command.name, data: command.data })
          : scene.drafter.draftText('text', findCommandText(command), level)),
        ...scene.drafter.draftText('reason', reason, level),
      ],
    },
  ];
}

function toCommandDetails(
  command: Exclude<Command, { kind: 'decide' }>,
): Extract<AuditEvent, { type: 'command_received' }>['what'] {
  const nothing = { breakpoint: null, limits: null };
  switch (command.kind) {
    case 'pause':
      return {
        ...nothing,
        command: command.breakpoint === null ? 'pause' : 'breakpoint',
        breakpoint: command.breakpoint,
      };
    case 'limit':
      return { ...nothing, command: 'limits', limits: command.limits };
    default:
      return { ...nothing, command: command.kind };
  }
}

function findCommandText(command: Command): string | null {
  switch (command.kind) {
    case 'steer':
      return command.text;
    case 'unreadable':
      return command.problem;
    default:
      return null;
  }
}
