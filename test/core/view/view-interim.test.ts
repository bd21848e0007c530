/** L8: an interim result is shown exactly as its result would be, or not at all. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/core/lib/json.js';
import type { InterimResult } from '../../../src/core/model/interim.js';
import { buildReasoning } from '../../../src/core/view/build-reasoning.js';
import { createLiveView } from '../../../src/core/view/live-view.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer, type VisibilityConfig } from '../../../src/core/view/visibility.js';
import { budget } from '../../support/budget.js';
import { agentOf, asks, look, tool } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';
import { call, canariesIn, reasoningWith, result, thought } from '../../support/some-reasoning.js';
import { someConfig, someViewer } from '../../support/some-viewer.js';

const ssn = '123-45-6789';
const rows: Json = { rowCount: 1, rows: [{ name: 'Ann', ssn }], note: `of ${ssn}, ann@example.org` };
const openToUsers: VisibilityConfig = {
  roles: { end_user: { tool_result: 'full' } },
  deployment: { tool_result: 'full' },
};
const steps = [thought(1, 'I look.'), call('1.1', 'query', { table: 'people' }, { status: 'pending' })];

function viewRunning(role: string, interim: InterimResult, config: VisibilityConfig = {}, tenant?: string) {
  const running = reasoningWith(steps, {
    ...{ state: 'tool_calling', outcome: null, answer: null, tenant: 'bank' },
    interims: [{ call: '1.1', attempt: 1, interim }],
  });
  return view(running, createViewer(role, tenant === undefined ? {} : { tenant }), config).interims;
}

describe('an interim result', () => {
  it('has its sensitive members, what repeats them, and personal data masked, except for an auditor', () => {
    const [seen] = viewRunning('developer', { value: rows }) ?? [];
    expect(seen).toMatchObject({ call: '1.1', attempt: 1, value: { rowCount: 1 } });
    expect(JSON.stringify(seen)).not.toMatch(/6789|example/);
    expect(viewRunning('auditor', { value: rows })).toEqual([{ call: '1.1', attempt: 1, value: rows }]);
  });

  it('is not shown where a model writes it and its tool has sensitive paths, which lead into a complete value only', () => {
    const interims = [{ call: '1.1', attempt: 1, interim: { value: 'The rent of Ada is' } }];
    const asked = [call('1.1', 'ask', { prompt: 'What?' }, { status: 'pending', toolKind: 'llm' })];
    const tools = { ask: { kind: 'llm' } };
    const running = reasoningWith(asked, { state: 'tool_calling', outcome: null, answer: null, tools, interims });
    const sensitive: VisibilityConfig = { tools: { ask: { sensitive: ['answer'] } } };
    expect(view(running, createViewer('developer')).interims).toHaveLength(1);
    expect(view(running, createViewer('developer'), sensitive).interims).toEqual([]);
    expect(view(running, createViewer('auditor'), sensitive).interims).toHaveLength(1);
  });

  it('is not shown to a viewer who sees a line of the result, or nothing of it, or who is of another tenant', () => {
    expect(viewRunning('end_user', { value: rows })).toEqual([]);
    expect(viewRunning('developer', { value: rows }, { tools: { query: { level: 'hidden' } } })).toEqual([]);
    expect(viewRunning('developer', { value: rows }, {}, 'shop')).toEqual([]);
    expect(viewRunning('end_user', { value: 'text' }, openToUsers)).toHaveLength(1);
  });

  it('is hidden from users where the tool had lowered the visibility of its call before it emitted', () => {
    const lowered: InterimResult = { value: 'x', visibility: { level: 'summary' } };
    expect(viewRunning('end_user', { value: 'x' }, openToUsers)).toHaveLength(1);
    expect(viewRunning('end_user', lowered, openToUsers)).toEqual([]);
    expect(viewRunning('developer', lowered, openToUsers)).toHaveLength(1);
  });

  it('is not shown of a call that has ended', () => {
    const ended = reasoningWith([...steps.slice(0, 1), call('1.1', 'query', {}), result('1.1', 'query', 'done')], {
      interims: [{ call: '1.1', attempt: 1, interim: { value: 'x' } }],
    });
    expect(view(ended, createViewer('auditor')).interims).toEqual([]);
  });

  it('shows no more than the result itself would, by any rules, and changes no recorded step', () => {
    const content = fc.constantFrom<Json>('cnr1x of cnr2x', { ssn: 'cnr3x', rows: [{ ssn: 'cnr4x', at: 'cnr5x' }] });
    let visible = 0;
    fc.assert(
      fc.property(someViewer, someConfig, content, (viewer, config, value) => {
        const running = reasoningWith(steps, { outcome: null, state: 'tool_calling', tenant: 'bank' });
        const done = [...steps.slice(0, 1), call('1.1', 'query', { table: 'people' }), result('1.1', 'query', value)];
        const interims = [{ call: '1.1', attempt: 1, interim: { value } }];
        const { interims: shown, ...rest } = view({ ...running, interims }, viewer, config);
        const { interims: none, ...without } = view(running, viewer, config);
        expect(rest).toEqual(without);
        expect(none).toBeUndefined();
        const full = view(reasoningWith(done, { tenant: 'bank' }), viewer, config).steps.at(-1);
        const seen = full?.level === 'full' && full.kind === 'tool_result' ? [full.observation] : [];
        visible += seen.length;
        expect(shown?.map((each) => each.value)).toEqual(seen);
        expect([...canariesIn(shown)].every((each) => canariesIn(full).has(each))).toBe(true);
      }),
      { numRuns: budget(100, 1_000) },
    );
    expect(visible).toBeGreaterThan(0);
  });
});

describe('an interim result of a chain that is watched', () => {
  const agent = agentOf({ tools: [tool('look', { view: { sensitive: ['pin'] } })] });
  const play = () => {
    const played = prepared(agent);
    played.after(1_000).replied(asks({ tool: 'look', input: { at: 'a', pin: 'secret-pin-7' } }, look('b')));
    return played;
  };

  it('is unknown until its call is known, visible while it runs, and hidden when it has ended', () => {
    const see = createLiveView(createViewer('developer'), {});
    const early = prepared(agent);
    const value = { value: { at: 'secret-pin-7', pin: '4711-4711' } };
    expect(see(early.chain, new Map()).viewInterim('1.1', value)).toEqual({ kind: 'unknown' });
    const played = play();
    const { viewInterim } = see(played.chain, new Map());
    const seen = viewInterim('1.1', value);
    expect(seen).toMatchObject({ kind: 'visible', interim: { value: {} } });
    // The value of an earlier sensitive member is masked too.
    expect(JSON.stringify(seen)).not.toMatch(/secret-pin|4711/);
    expect(viewInterim('1.1', null)).toEqual({ kind: 'visible', interim: null });
    played.after(1_000).returned('1.1');
    expect(see(played.chain, new Map()).viewInterim('1.1', value)).toEqual({ kind: 'hidden' });
  });

  it('leaves the marks of the recorded steps as they are without it', () => {
    const played = play();
    const see = createLiveView(createViewer('developer'), {});
    const { viewInterim } = see(played.chain, new Map());
    for (const name of ['ann', 'bob', 'eve']) viewInterim('1.1', { value: `${name}@example.org` });
    played.after(1_000).returned('1.1', 'zoe@example.org');
    played.after(1_000).returned('1.2', 'kim@example.org');
    const { changedSteps } = see(played.chain, new Map());
    const { steps: whole } = view(buildReasoning(played.chain), createViewer('developer'));
    for (const step of changedSteps) expect(whole).toContainEqual(step);
  });
});
