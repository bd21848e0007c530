/** Drafts audit events from entries: calls and their results, requests, decisions, plans, sub-chains. */

import { type ChainEntry, getRequester, listCalls } from '../engine/index.js';
import { computeCallKey } from '../lib/index.js';
import {
  type Call,
  type CallRequest,
  computeRequestDigest,
  type Decision,
  type Notice,
  type Plan,
  type StepVerdict,
  toFilesValue,
} from '../model/index.js';
import { sumCharges } from '../view/index.js';
import type { DraftPart } from './entry.js';
import { type EventDraft, getChainLevel, getKnownTool, type TurnContext } from './turn-context.js';

function draftVerdict({ code, step, text }: Notice, verdict: StepVerdict, scene: TurnContext): EventDraft {
  return {
    event: { type: code === 'judged' ? 'judged' : 'policy_checked', what: { step, verdict } },
    parts: scene.drafter.draftText('reason', text, getChainLevel(scene)),
  };
}

/** Drafts the events of an entry in order. Null marks one that its level leaves out, so that places do not depend on levels. */
export function draftEntryEvents(entry: ChainEntry, scene: TurnContext): readonly (EventDraft | null)[] {
  switch (entry.type) {
    case 'step-added':
      return entry.step.calls.flatMap((call) => draftCallEvents(call, scene));
    case 'call-completed': {
      const { tool, result } = entry;
      return [draftToolEnded({ ...result, tool, reusedFrom: null }, scene)];
    }
    case 'request-opened': {
      const { call, tool, request } = entry;
      const { kind: requestKind, digest, rules } = request;
      const { risk, roles, approvers, reason } = rules;
      return [
        {
          event: {
            type: 'approval_requested',
            what: { call, tool, requestKind, request: digest, risk, roles, approvers },
          },
          parts: [
            ...draftQuestion(tool, request, scene),
            ...scene.drafter.draftText('reason', reason, getChainLevel(scene)),
          ],
        },
      ];
    }
    case 'request-decided':
      return [draftDecision(entry.call, entry.tool, entry.decision, scene)];
    case 'notice-added':
      if (entry.notice.verdict !== undefined) return [draftVerdict(entry.notice, entry.notice.verdict, scene)];
      if (entry.notice.code !== 'command_rejected' && entry.notice.code !== 'budget_rejected') return [];
      return [
        {
          event: { type: entry.notice.code, what: { step: entry.notice.step } },
          parts: scene.drafter.draftText('reason', entry.notice.text, getChainLevel(scene)),
        },
      ];
    case 'plan-changed':
      return draftPlan(entry.plan, scene);
    case 'sub-chain-started': {
      const { call, tool, chain } = entry;
      return [
        {
          event: { type: 'sub_chain_started', what: { call, tool, subChain: chain.chainId, subAgent: chain.agent } },
          parts: scene.drafter.draftText('task', chain.task, getChainLevel(scene)),
        },
      ];
    }
    case 'sub-chain-ended': {
      const { call, tool, chainId, end } = entry;
      const { outcome, steps, charged } = end;
      const spent = { tokens: charged?.tokens ?? null, costUsd: charged?.usd ?? null };
      return [
        { event: { type: 'sub_chain_ended', what: { call, tool, subChain: chainId, outcome, steps, ...spent } } },
      ];
    }
    case 'chain-started':
    case 'agent-prepared':
    case 'turn-paused':
    case 'message-received':
    case 'guidance-added':
      return [];
  }
}

/** A call that was rejected, reused or dropped ended with the reply that requested it. */
function draftCallEvents(call: Call, scene: TurnContext): readonly (EventDraft | null)[] {
  const { kind, effects, level } = getKnownTool(call.tool, scene);
  const { id, tool, input, status } = call;
  const called: EventDraft | null =
    level === 'none'
      ? null
      : {
          event: { type: 'tool_called', what: { call: id, tool, kind, effects, level } },
          parts: scene.drafter.draftValue('arguments', input, { tool, toolKind: kind }, level),
        };
  if (status === 'pending') return [called];
  // A rejection is recorded at every level: it is about the requester, not about the tool.
  const rejected = status === 'not_permitted' ? [draftNotPermitted(call, scene)] : [];
  return [called, ...rejected, draftToolEnded({ ...call, call: id }, scene)];
}

function draftNotPermitted({ id: call, tool }: Call, { turn: { state } }: TurnContext): EventDraft {
  const { user: by, roles } = getRequester(state);
  const required = state.agent?.tools.find(({ name }) => name === tool)?.roles ?? [];
  return { event: { type: 'call_not_permitted', what: { call, tool, required } }, who: { by, roles } };
}

interface ToolEnd
  extends Pick<
    Call,
    'tool' | 'status' | 'observation' | 'clippedFrom' | 'reusedFrom' | 'files' | 'artifacts' | 'charges'
  > {
  readonly call: string;
}

function draftToolEnded(
  { call, tool, status, observation, clippedFrom, reusedFrom, files = [], artifacts = [], charges }: ToolEnd,
  scene: TurnContext,
): EventDraft | null {
  const { kind, level } = getKnownTool(tool, scene);
  if (level === 'none') return null;
  return {
    event: { type: 'tool_ended', what: { call, tool, kind, status, reusedFrom, clippedFrom, ...toSpent(charges) } },
    parts: [
      ...scene.drafter.draftValue('result', observation, { tool, toolKind: kind }, level),
      ...scene.drafter.draftText('files', toFilesValue([...files, ...artifacts]), level),
    ],
  };
}

function toSpent(charges: Call['charges']): { readonly tokens?: number; readonly costUsd?: number | null } {
  if (charges === undefined) return {};
  const { tokens, usd } = sumCharges(charges);
  return { tokens, costUsd: usd };
}

function draftDecision(call: string, tool: string, made: Decision, scene: TurnContext): EventDraft {
  const { kind: decision, by, roles, reason, input, answer = null, always = false, partly = false } = made;
  const { kind, level } = getKnownTool(tool, scene);
  const changed = input !== undefined;
  const request = changed ? computeCallKey(tool, input) : findRequestDigest(call, scene);
  return {
    event: { type: 'decided', what: { call, tool, decision, request, changed, always, partly } },
    who: { by, roles },
    parts: [
      ...(changed ? scene.drafter.draftValue('arguments', input, { tool, toolKind: kind }, level) : []),
      ...scene.drafter.draftValue('answer', answer, { tool, toolKind: kind }, level),
      ...scene.drafter.draftText('reason', reason, getChainLevel(scene)),
    ],
  };
}

/** The question of a running tool. That of `ask_user` is in its call. */
function draftQuestion(
  tool: string,
  { question }: Pick<CallRequest, 'question'>,
  scene: TurnContext,
): readonly DraftPart[] {
  if (question === undefined) return [];
  const { kind, level } = getKnownTool(tool, scene);
  return scene.drafter.draftValue('question', { ...question }, { tool, toolKind: kind }, level);
}

/** Finds the digest of a request that was opened in an earlier turn, or earlier in this one. */
function findRequestDigest(call: string, { before, turn }: TurnContext): string | null {
  const pending = listCalls(before).find(({ id }) => id === call);
  const requestEntry = turn.entries.find((entry) => entry.type === 'request-opened' && entry.call === call);
  if (pending?.request !== undefined) return computeRequestDigest({ ...pending, request: pending.request });
  return requestEntry?.type === 'request-opened' ? requestEntry.request.digest : null;
}

/** Drafts a plan when its revision changed. The progress of its tasks follows from their calls. */
function draftPlan(plan: Plan, scene: TurnContext): readonly (EventDraft | null)[] {
  const { revision, source, tasks } = plan;
  if (scene.before.plan?.revision === revision) return [];
  const described = tasks.map(({ id, description, dependsOn }) => ({ id, description, dependsOn }));
  return [
    {
      event: { type: 'plan_made', what: { revision, source, tasks: tasks.map(({ id }) => id) } },
      parts: scene.drafter.draftText('plan', described, getChainLevel(scene)),
    },
  ];
}
