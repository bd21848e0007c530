/** What became of a fact, as the audit log tells it: calls and their results, requests, decisions, plans, sub-chains. */

import { callKey } from '../lib/digest.js';
import type { Decided } from '../model/ask.js';
import type { Call } from '../model/chain.js';
import type { Plan } from '../model/plan.js';
import type { Entry } from '../state/entry.js';
import { callsIn } from '../state/flight.js';
import { chainLevel, type Told, type TurnScene, toolNamed } from './run-scene.js';

/** In the order in which they are told, with null for what is not: so places stay the same, whatever the levels are. */
export function ofEntry(entry: Entry, scene: TurnScene): readonly (Told | null)[] {
  switch (entry.type) {
    case 'step':
      return entry.step.calls.flatMap((call) => ofCall(call, scene));
    case 'observation': {
      const { tool, settled } = entry;
      return [ended({ ...settled, tool, reusedFrom: null }, scene)];
    }
    case 'asked': {
      const { call, tool, request } = entry;
      const { kind: ask, digest, rules } = request;
      const { risk, roles, approvers, reason } = rules;
      return [
        {
          event: { type: 'approval_asked', what: { call, tool, ask, request: digest, risk, roles, approvers } },
          parts: scene.keeper.words('reason', reason, chainLevel(scene)),
        },
      ];
    }
    case 'decided':
      return [decided(entry.call, entry.tool, entry.decided, scene)];
    case 'notice':
      if (entry.notice.kind !== 'ignored') return [];
      return [
        {
          event: { type: 'not_taken', what: { step: entry.notice.step } },
          parts: scene.keeper.words('reason', entry.notice.text, chainLevel(scene)),
        },
      ];
    case 'planned':
      return planned(entry.plan, scene);
    case 'chainBegun': {
      const { call, tool, chain } = entry;
      return [
        {
          event: { type: 'sub_chain_began', what: { call, tool, subChain: chain.chainId, subAgent: chain.agent } },
          parts: scene.keeper.words('task', chain.task, chainLevel(scene)),
        },
      ];
    }
    case 'chainEnded': {
      const { call, tool, chainId, end } = entry;
      const { outcome, steps, charged } = end;
      const spent = { tokens: charged?.tokens ?? null, costUsd: charged?.usd ?? null };
      return [
        { event: { type: 'sub_chain_ended', what: { call, tool, subChain: chainId, outcome, steps, ...spent } } },
      ];
    }
    case 'started':
    case 'prepared':
    case 'paused':
    case 'message':
    case 'guided':
      return [];
  }
}

/** One that was refused, reused or dropped has ended with the reply that asked for it. */
function ofCall(call: Call, scene: TurnScene): readonly (Told | null)[] {
  const { kind, effects, level } = toolNamed(call.tool, scene);
  const { id, tool, input, status, observation, clippedFrom, reusedFrom } = call;
  const called: Told | null =
    level === 'none'
      ? null
      : {
          event: { type: 'tool_called', what: { call: id, tool, kind, effects, level } },
          parts: scene.keeper.value('arguments', input, { tool, toolKind: kind }, level),
        };
  if (status === 'pending') return [called];
  return [called, ended({ call: id, tool, status, observation, clippedFrom, reusedFrom }, scene)];
}

interface Ended extends Pick<Call, 'tool' | 'status' | 'observation' | 'clippedFrom' | 'reusedFrom'> {
  readonly call: string;
}

function ended({ call, tool, status, observation, clippedFrom, reusedFrom }: Ended, scene: TurnScene): Told | null {
  const { kind, level } = toolNamed(tool, scene);
  if (level === 'none') return null;
  return {
    event: { type: 'tool_ended', what: { call, tool, kind, status, reusedFrom, clippedFrom } },
    parts: scene.keeper.value('result', observation, { tool, toolKind: kind }, level),
  };
}

function decided(call: string, tool: string, said: Decided, scene: TurnScene): Told {
  const { what: decision, by, roles, reason, input, always = false, partly = false } = said;
  const { kind, level } = toolNamed(tool, scene);
  const changed = input !== undefined;
  const request = changed ? callKey(tool, input) : requestOf(call, scene);
  return {
    event: { type: 'decided', what: { call, tool, decision, request, changed, always, partly } },
    who: { by, roles },
    parts: [
      ...(changed ? scene.keeper.value('arguments', input, { tool, toolKind: kind }, level) : []),
      ...scene.keeper.words('reason', reason, chainLevel(scene)),
    ],
  };
}

/** Of what was asked in an earlier turn, or earlier in this one. */
function requestOf(call: string, { before, turn }: TurnScene): string | null {
  const pending = callsIn(before).find(({ id }) => id === call);
  const asked = turn.entries.find((entry) => entry.type === 'asked' && entry.call === call);
  return pending?.key ?? (asked?.type === 'asked' ? asked.request.digest : null);
}

/** Told when its tasks are others; how far they have come, their calls tell. */
function planned(plan: Plan, scene: TurnScene): readonly (Told | null)[] {
  const { revision, source, tasks } = plan;
  if (scene.before.plan?.revision === revision) return [];
  const said = tasks.map(({ id, description, dependsOn }) => ({ id, description, dependsOn }));
  return [
    {
      event: { type: 'plan_made', what: { revision, source, tasks: tasks.map(({ id }) => id) } },
      parts: scene.keeper.words('plan', said, chainLevel(scene)),
    },
  ];
}
