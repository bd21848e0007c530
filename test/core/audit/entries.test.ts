/** The audit entries of a run: complete, limited by levels, and without secrets. */

import { describe, expect, it } from 'vitest';
import { computeAuditDrafts } from '../../../src/core/audit/audit-drafts.js';
import type { AuditDraft } from '../../../src/core/audit/entry.js';
import type { AuditPolicy } from '../../../src/core/audit/policy.js';
import { sealEntry } from '../../../src/core/audit/seal.js';
import { findTurnPrefix, foldRecordedTurns, toOrigin } from '../../../src/core/engine/fold-turns.js';
import { computeCallKey } from '../../../src/core/lib/digest.js';
import { aRun, draftsOf, random } from '../../support/audit.js';
import {
  agentOf,
  answers,
  asks,
  look,
  modelFailure,
  pay,
  someInput,
  tool,
  toolFailure,
} from '../../support/core-builders.js';
import { decides, limits, needs, pauses, resumes, rules, signals, steers } from '../../support/core-people.js';
import { type Play, prepared, started } from '../../support/core-play.js';

const types = (drafts: readonly AuditDraft[]) => drafts.map(({ type }) => type);
const getDraft = (drafts: readonly AuditDraft[], type: AuditDraft['type'], at = 0) =>
  drafts.filter((draft) => draft.type === type)[at] as AuditDraft;
const readParts = (draft: AuditDraft) => Object.fromEntries(draft.parts.map(({ part, stored: text }) => [part, text]));

/** A chain with a payment that was approved with other arguments. */
function playPayment(): Play {
  const play = prepared(agentOf(), { ...someInput, tenant: 'acme', user: 'eve', roles: ['clerk'] });
  play.replied(needs([rules({ roles: ['ops'] })], pay({ amount: 4_200 })));
  play.take(
    decides(
      '1.1',
      { kind: 'approve', input: { amount: 42 } },
      { by: 'ana', roles: ['ops'], reason: 'Less is enough.' },
    ),
  );
  play.returned('1.1', { receipt: 'r-7' });
  play.replied(answers('Paid.'));
  return play;
}

describe('the entries of a run', () => {
  it('have places of their own where a workflow task has several turns', () => {
    const turns = playPayment().turns.map((turn) => ({ ...turn, eventId: 4 }));
    const drafts = computeAuditDrafts(foldRecordedTurns(turns).turns, null, aRun);
    expect(drafts).toHaveLength(draftsOf(playPayment()).length);
    expect(new Set(drafts.map(({ item }) => item)).size).toBe(drafts.length);
  });

  it('record the files of the task and of results, each with the digest of its bytes', () => {
    const file = { name: 'receipt.png', mediaType: 'image/png', bytes: 9, digest: `sha256:${'1'.repeat(64)}` };
    const artifact = { ...file, name: 'rows.csv' };
    const play = prepared(agentOf(), { ...someInput, files: [file] });
    play.replied(asks(look()));
    const observation = { content: 'Done.', clippedFrom: null, files: [file], artifacts: [artifact] };
    play.take({ type: 'toolReturned', call: '1.1', observation });
    play.replied(answers('12 euros.'));
    const drafts = draftsOf(play);
    expect(readParts(getDraft(drafts, 'chain_started'))).toMatchObject({ files: [file] });
    expect(readParts(getDraft(drafts, 'tool_ended'))).toMatchObject({ files: [file, artifact] });
  });

  it('record its start, agent, calls, approvals and end', () => {
    const drafts = draftsOf(playPayment());
    expect(types(drafts)).toEqual([
      'chain_started',
      'agent_prepared',
      'model_called',
      'tool_called',
      'approval_requested',
      'decided',
      'tool_ended',
      'model_called',
      'chain_ended',
    ]);
    expect(getDraft(drafts, 'chain_started')).toMatchObject({
      who: { by: 'eve', roles: ['clerk'] },
      tenant: 'acme',
      agent: 'clerk',
      chainId: 'chain-1',
      runId: 'run-1',
      parts: [{ part: 'task', stored: someInput.task }],
    });
    expect(getDraft(drafts, 'agent_prepared')).toMatchObject({
      what: {
        definition: 'some-digest',
        model: 'some-model',
        tools: expect.arrayContaining([expect.objectContaining({ name: 'pay', effects: 'unsafe', level: 'full' })]),
      },
    });
    expect(getDraft(drafts, 'decided')).toMatchObject({
      who: { by: 'ana', roles: ['ops'] },
      what: {
        call: '1.1',
        tool: 'pay',
        decision: 'approved',
        changed: true,
        request: computeCallKey('pay', { amount: 42 }),
      },
    });
    expect(readParts(getDraft(drafts, 'decided'))).toEqual({ arguments: { amount: 42 }, reason: 'Less is enough.' });
    expect(readParts(getDraft(drafts, 'tool_called'))).toEqual({ arguments: { amount: 4_200 } });
    expect(readParts(getDraft(drafts, 'tool_ended'))).toEqual({ result: { receipt: 'r-7' } });
    expect(getDraft(drafts, 'approval_requested')).toMatchObject({
      what: { request: computeCallKey('pay', { amount: 4_200 }), roles: ['ops'] },
    });
  });

  it('contain the head of the facts before each model call, and of all facts at the end', () => {
    const play = playPayment();
    const { turns } = foldRecordedTurns(play.turns);
    const drafts = draftsOf(play);
    expect(getDraft(drafts, 'model_called', 1)).toMatchObject({
      what: {
        call: 'model-2',
        step: 2,
        purpose: 'step',
        usage: { input: 1_000 },
        costUsd: 0.003,
        prompt: { definition: 'some-digest', facts: 5, head: turns[4]?.state.head },
      },
    });
    expect(getDraft(drafts, 'chain_ended')).toMatchObject({
      at: 9_000,
      what: { outcome: 'success', facts: 6, head: play.state.head, open: [] },
      parts: [{ part: 'answer', stored: 'Paid.' }, { part: 'reason' }],
    });
  });

  it('record commands and rejected commands', () => {
    const play = prepared();
    play.take(pauses(null, { by: 'ana', reason: 'Lunch.' }), steers('Be quick.', { by: 'bob' }));
    play.take(limits({ steps: 20 }, { by: 'ana' }), resumes());
    play.take(resumes({ by: 'bob' }));
    play.cancelledBy('ana', 'Enough.');
    const drafts = draftsOf(play, {}, { closed: 'terminated' });
    expect(types(drafts).slice(2)).toEqual([
      'command_received',
      'command_received',
      'command_received',
      'command_received',
      'command_received',
      'command_rejected',
      'cancel_requested',
      'chain_ended',
    ]);
    expect(drafts.flatMap((draft) => (draft.type === 'command_received' ? [draft.what.command] : []))).toEqual([
      'pause',
      'steer',
      'limits',
      'resume',
      'resume',
    ]);
    expect(readParts(getDraft(drafts, 'command_received'))).toEqual({ reason: 'Lunch.' });
    expect(readParts(getDraft(drafts, 'command_rejected')).reason).toContain(
      'by bob was rejected: The chain is not paused',
    );
    expect(getDraft(drafts, 'cancel_requested')).toMatchObject({ who: { by: 'ana' } });
    expect(getDraft(drafts, 'chain_ended')).toMatchObject({ what: { outcome: 'terminated' } });
  });

  it('record a signal by the rules of the tool that may receive it: delivered, kept, dropped, or before the agent is known', () => {
    const secret = { token: 'correct-horse-battery', build: 7 };
    const signalsOf = (audit: 'none' | 'basic' | 'full' | null, policy: AuditPolicy = {}) => {
      const play = started();
      play.take(signals('early', secret));
      const wait = tool('wait', { waits: true, audit, kind: 'wait', view: { sensitive: ['data.token'] } });
      play.take({ type: 'prepared', agent: agentOf({ tools: [wait], limits: { waitMs: 60_000 } }) });
      play.take(signals('kept', secret));
      play.replied(asks({ tool: 'wait', input: { signal: 'built' } }));
      play.take(signals('built', secret));
      const drafts = draftsOf(play, policy);
      expect(JSON.stringify(drafts.map(({ parts }) => parts.map(({ stored }) => stored)))).not.toContain(
        'correct-horse',
      );
      return drafts.filter(({ type }) => type === 'command_received').map(readParts);
    };
    const masked = (name: string) => ({
      text: { name, data: { token: expect.stringMatching(/^\[redacted/), build: 7 } },
    });
    expect(signalsOf(null)).toEqual([masked('early'), masked('kept'), masked('built')]);
    expect(signalsOf('basic')).toEqual(Array.from({ length: 3 }, () => ({ text: undefined })));
    expect(signalsOf(null, { level: 'basic' })).toEqual(Array.from({ length: 3 }, () => ({ text: undefined })));
    expect(signalsOf('none')).toEqual([{}, {}, {}]);
    const unprepared = started();
    unprepared.take(signals('early', secret));
    expect(readParts(getDraft(draftsOf(unprepared), 'command_received'))).toEqual({ text: undefined });
  });

  it('record failed calls of models and tools, and calls with an unknown outcome', () => {
    const play = prepared();
    play.failed(modelFailure('overloaded'));
    play.fired('retry');
    play.replied(asks(look({ a: 1 }), { tool: 'nothing_such' }, look({ a: 2 })));
    play.broke('1.1', toolFailure('ToolError', 'No such place.'));
    const drafts = draftsOf(play, {}, { closed: 'terminated' });
    expect(getDraft(drafts, 'model_failed')).toMatchObject({ what: { call: 'model-1', kind: 'overloaded' } });
    expect(
      drafts.flatMap((draft) => (draft.type === 'tool_ended' ? [[draft.what.call, draft.what.status]] : [])),
    ).toEqual([
      ['1.2', 'error'],
      ['1.1', 'error'],
    ]);
    expect(getDraft(drafts, 'chain_ended')).toMatchObject({ what: { open: ['1.3'] } });
  });

  it('name the origin of a fork and do not repeat its steps', () => {
    const origin = playPayment();
    const until = findTurnPrefix(foldRecordedTurns(origin.turns).turns, 1);
    if (until === null) throw new Error('The origin has no step 1.');
    const cut = toOrigin({ chainId: 'chain-0', runId: 'run-0' }, until, 1, 'And then?');
    const fork = started({ ...someInput, origin: cut });
    fork.take({ type: 'prepared', agent: agentOf() });
    fork.replied(answers('That was all.'));
    const drafts = draftsOf(fork);
    expect(types(drafts)).toEqual(['chain_started', 'agent_prepared', 'model_called', 'chain_ended']);
    expect(drafts[0]).toMatchObject({
      what: { origin: { chainId: 'chain-0', steps: 1, digest: cut.digest } },
      parts: [{ part: 'task' }, { part: 'message', stored: 'And then?' }],
    });
    expect(getDraft(drafts, 'model_called')).toMatchObject({ what: { step: 2 } });
  });

  it('record a chain that was terminated before its first turn', () => {
    expect(computeAuditDrafts([], null, { ...aRun, closed: 'terminated' })).toMatchObject([
      { type: 'chain_ended', chainId: 'chain-1', tenant: null, eventId: 0, what: { outcome: 'terminated' } },
    ]);
  });

  it('belong to one run each, and only the last run ends the chain', () => {
    const play = playPayment();
    const { turns } = foldRecordedTurns(play.turns);
    const half = { ...aRun, closed: 'continuedAsNew' as const };
    const first = computeAuditDrafts(turns.slice(0, 4), null, half);
    const chain = foldRecordedTurns(play.turns.slice(0, 4)).chain;
    const second = computeAuditDrafts(turns.slice(4), chain, { ...aRun, runId: 'run-2' });
    const whole = draftsOf(play);
    expect([...types(first), ...types(second)]).toEqual(types(whole));
    expect(first.at(-1)?.type).toBe('decided');
    // The next run knows the call that the previous run requested.
    expect(second[0]).toMatchObject({ type: 'tool_ended' });
  });
});

describe('the level of recording', () => {
  const quiet = agentOf({ tools: [tool('look', { audit: 'none' }), tool('read', { audit: 'basic' }), tool('poll')] });
  const play = prepared(quiet, { ...someInput, tenant: 'acme' });
  play.replied(asks(look({ a: 1 }), { tool: 'read', input: { b: 2 } }, { tool: 'poll', input: { c: 3 } }));
  for (const call of ['1.1', '1.2', '1.3']) play.returned(call);
  const stored = (policy: AuditPolicy) => {
    const drafts = draftsOf(play, policy, { closed: null }).filter(({ type }) => type.startsWith('tool_'));
    return drafts.map((draft) => [
      (draft.what as { readonly tool: string }).tool,
      draft.parts.map(({ stored: content }) => content !== undefined),
    ]);
  };

  it('is the level of the tool, or else that of the worker', () => {
    const called = (policy: AuditPolicy) => stored(policy).slice(0, stored(policy).length / 2);
    expect(called({})).toEqual([
      ['read', [false]],
      ['poll', [true]],
    ]);
    expect(called({ level: 'basic' })).toEqual([
      ['read', [false]],
      ['poll', [false]],
    ]);
    expect(called({ level: 'none' })).toEqual([['read', [false]]]);
  });

  it('is raised by a tenant and never lowered', () => {
    expect(stored({ tenants: { acme: 'full' } }).map(([name]) => name)).toEqual([
      'look',
      'read',
      'poll',
      'look',
      'read',
      'poll',
    ]);
    expect(stored({ tenants: { acme: 'full' } }).every(([, parts]) => (parts as boolean[])[0])).toBe(true);
    expect(stored({ tenants: { acme: 'none' } })).toEqual(stored({}));
    expect(stored({ tenants: { other: 'full' } })).toEqual(stored({}));
  });

  it('does not change the places of entries', () => {
    const places = (policy: AuditPolicy) =>
      draftsOf(play, policy)
        .filter((draft) => draft.type === 'tool_called' && draft.what.tool === 'poll')
        .map(({ eventId, item }) => [eventId, item]);
    expect(places({})).toEqual(places({ tenants: { acme: 'full' } }));
  });

  it('masks each repetition of credentials and sensitive fields, and stores a digest of the original', () => {
    const bank = agentOf({ tools: [tool('bank', { kind: 'api', view: { sensitive: ['account'] } })] });
    const scene = prepared(bank, { ...someInput, task: 'Use sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789.' });
    scene.replied(asks({ tool: 'bank', input: { account: 'DE-4711-9', note: 'rent' } }));
    scene.returned('1.1', { done: true });
    scene.replied(answers('Paid from DE-4711-9, with 4111 1111 1111 1111; write to ada@example.com.'));
    const drafts = draftsOf(scene);
    const words = JSON.stringify(drafts.map(readParts));
    expect(words).not.toMatch(/4711|sk-ant-api03|4111/);
    expect(words).toContain('rent');
    expect(words).toContain('ada@example.com');
    const end = getDraft(drafts, 'chain_ended');
    const { entry, contents } = sealEntry(end, { seq: 0, hash: '' }, { random });
    expect(entry.contents[0]).toEqual({ part: 'answer', stored: expect.any(String), original: expect.any(String) });
    expect(contents[0]).toMatchObject({ salt: expect.any(String), originalSalt: expect.any(String) });
    // A value that is sensitive in an earlier run is masked in a later one.
    const { turns } = foldRecordedTurns(scene.turns);
    const later = computeAuditDrafts(turns.slice(4), foldRecordedTurns(scene.turns.slice(0, 4)).chain, aRun);
    expect(JSON.stringify(later.map(readParts))).not.toContain('4711');
  });
});
