/** M1 to M4: all texts of a chain pass the masker. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipObservation } from '../../../src/core/engine/state/observation.js';
import type { Json } from '../../../src/core/lib/json.js';
import type { ToolView } from '../../../src/core/model/agent.js';
import type { ReasoningStep } from '../../../src/core/view/reasoning.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer, type VisibilityConfig } from '../../../src/core/view/visibility.js';
import { call, noticed, opened, reasoningWith, result, synthesis, thought } from '../../support/some-reasoning.js';

const developer = createViewer('developer');
const pin: Record<string, ToolView> = { door: { sensitive: ['pin', 'codes.*', 'log.0.of'] }, weather: {} };

function viewSteps(steps: readonly ReasoningStep[], config: VisibilityConfig = {}, role = 'developer') {
  return view(reasoningWith(steps, { tools: pin }), createViewer(role), config);
}

describe('M1: a value at a sensitive path', () => {
  it('is masked in arguments and in results, for every type of value', () => {
    const { steps } = viewSteps([
      call('1.1', 'door', { pin: { of: ['deep'] }, codes: ['alpha1', 7], log: [{ of: 'x' }, { of: 'y' }] }),
      result('1.1', 'door', { pin: null, other: { pin: 'not there' } }),
    ]);
    expect(steps).toMatchObject([
      {
        input: {
          pin: '[redacted:field]',
          codes: ['[redacted:field#2]', '[redacted:field#3]'],
          log: [{ of: '[redacted:field#4]' }, { of: 'y' }],
        },
      },
      { observation: { pin: null, other: { pin: 'not there' } } },
    ]);
  });

  it('is masked in a text that is JSON, which is otherwise unchanged', () => {
    const { steps } = viewSteps([
      result('1.1', 'door', '{ "pin": "hunter2hunter2", "open": true }'),
      result('1.2', 'door', '{ "open":   true }'),
      result('1.3', 'weather', '{ "pin":   "fine" }'),
    ]);
    expect(steps).toMatchObject([
      { observation: '{"open":true,"pin":"[redacted:field]"}' },
      { observation: '{ "open":   true }' },
      { observation: '{ "pin":   "fine" }' },
    ]);
  });

  it('has all of a cut JSON text masked, since paths no longer apply', () => {
    const { steps } = viewSteps([
      result('1.1', 'door', '{"pin": "hunter2hunter2", "op'),
      result('1.2', 'door', '[it is open]'),
    ]);
    expect(steps).toMatchObject([{ observation: '[redacted:field]' }, { observation: '[it is open]' }]);
  });

  it('can be added by the configuration, and not removed', () => {
    const steps = [call('1.1', 'door', { pin: 'abcdef', name: 'front' }), call('1.2', 'weather', { pin: 'abcxyz' })];
    const config: VisibilityConfig = {
      tools: { door: { sensitive: ['name'] } },
      toolKinds: { external: { sensitive: ['codes'] } },
    };
    expect(viewSteps(steps, config).steps).toMatchObject([
      { input: { pin: '[redacted:field]', name: '[redacted:field#2]' } },
      { input: { pin: 'abcxyz' } },
    ]);
  });

  it('may be nested deeply', () => {
    const deep = JSON.parse(`${'{"pin":'.repeat(20_000)}1${'}'.repeat(20_000)}`) as Json;
    const { steps } = viewSteps([
      call('1.1', 'door', { pin: 'hunter2hunter2' }),
      call('1.2', 'weather', deep),
      result('1.2', 'weather', '['.repeat(20_000)),
    ]);
    expect(steps[1]).toMatchObject({ input: { pin: { pin: {} } } });
  });
});

describe('M2: a sensitive value', () => {
  it('is masked everywhere, in every form, before and after', () => {
    const secretOf = fc.string({ unit: fc.constantFrom(...'abcxyz019 "\\/$(.*'), minLength: 8, maxLength: 30 });
    fc.assert(
      fc.property(
        secretOf.filter((secret) => secret.trim().length >= 6),
        fc.integer({ min: 0, max: 6 }),
        (secret, where) => {
          const places: readonly ReasoningStep[] = [
            thought(1, `I shall try ${secret} first.`),
            call('1.2', 'weather', { asked: { of: [`${secret}!`] } }),
            result('1.2', 'weather', `The door reported ${secret}`),
            result('1.3', 'weather', JSON.stringify({ deep: { expected: secret } })),
            synthesis(1, { answer: [secret] }),
            noticed(1, 'limit_reached', `At ${secret}.`),
            call('1.4', 'weather', { [secret]: 1 }),
          ];
          const steps = [call('1.1', 'door', { pin: secret }), ...places.filter((_, at) => at >= where)];
          const chain = reasoningWith(steps, {
            tools: pin,
            task: `Use ${secret}`,
            answer: secret,
            reason: secret,
            partial: secret,
          });
          const shown = JSON.stringify(view(chain, developer));
          expect(shown).not.toContain(secret.trim());
          expect(shown).not.toContain(JSON.stringify(secret.trim()).slice(1, -1));
          expect(JSON.stringify(view(chain, createViewer('auditor')))).toContain(JSON.stringify(secret).slice(1, -1));
        },
      ),
    );
  });

  it('may be one of more than a regular expression can contain', () => {
    const words = (at: number) => `${at} ${'of no importance '.repeat(6_000)}.`;
    const numbers = Array.from({ length: 12 }, (_, at) => at + 1);
    const steps = numbers.map((number) => result(`${number}.1`, 'door', { pin: words(number), other: 'hello' }));
    expect(viewSteps([...steps, thought(13, `The door reported ${words(7)}`)], {}).steps.slice(-2)).toMatchObject([
      { observation: { pin: '[redacted:field#12]', other: 'hello' } },
      { thought: 'The door reported [redacted:field#7]' },
    ]);
  });

  it.each(['developer', 'end_user'])('is masked for a %s if it comes from a clipped text', (role) => {
    const rows = Array.from({ length: 5_000 }, (_, id) => id);
    const { content } = clipObservation(JSON.stringify({ pin: 'zebra-9127-kilo', rows }), 500);
    const text = 'The pin is zebra-9127-kilo.';
    const chain = reasoningWith([result('1.1', 'door', content), thought(2, text)], { tools: pin, answer: text });
    const shown = view(chain, createViewer(role));
    expect(shown.answer).toBe('The pin is [redacted:field].');
    expect(JSON.stringify(shown)).not.toContain('zebra');
  });

  it('is masked in the chains below and above as well', () => {
    const child = reasoningWith([thought(1, 'The code is opensesame.'), call('1.1', 'door', { pin: 'abracadabra' })], {
      tools: pin,
    });
    const top = reasoningWith(
      [call('1.1', 'door', { pin: 'opensesame' }), call('1.2', 'weather', {}), thought(2, 'abracadabra?')],
      {
        tools: pin,
        children: { '1.2': [opened(child)] },
      },
    );
    const shown = JSON.stringify(view(top, developer));
    expect(shown).not.toContain('opensesame');
    expect(shown).not.toContain('abracadabra');
  });

  it('is not masked elsewhere if it is too short to be distinctive', () => {
    expect(viewSteps([call('1.1', 'door', { pin: '12' }), thought(2, '12 degrees in 12 days')]).steps).toMatchObject([
      { input: { pin: '[redacted:field]' } },
      { thought: '12 degrees in 12 days' },
    ]);
  });
});

describe('M3: a notice', () => {
  const text = (tool: string, input: Json) => `${tool}(${JSON.stringify(input)}) was asked for three times.`;
  const steps = [
    call('1.1', 'door', { pin: 'hunter2hunter2', name: 'front' }),
    noticed(1, 'stalled', text('door', { pin: 'hunter2hunter2', name: 'front' })),
  ];

  it.each([
    ['developer', {}, 'door({"pin":"[redacted:field]","name":"front"}) was asked for three times.'],
    ['developer', { tools: { door: { level: 'summary' } } }, 'door was asked for three times.'],
    ['developer', { tools: { door: { level: 'hidden' } } }, 'a tool was asked for three times.'],
    ['developer', { required: [{ atMost: 'hidden', tool: 'door' }] }, 'a tool was asked for three times.'],
    ['end_user', {}, 'door was asked for three times.'],
    ['auditor', {}, 'door({"pin":"hunter2hunter2","name":"front"}) was asked for three times.'],
  ] as [string, VisibilityConfig, string][])('shows a call to %s as %j allows', (role, config, expected) => {
    expect(viewSteps(steps, config, role).steps[1]).toMatchObject({ text: expected });
  });

  it('may contain several calls, each at its own level', () => {
    const calls = [
      call('1.1', 'door', { name: 'front' }),
      call('1.2', 'door', { name: 'back', pin: 'hunter2hunter2' }),
    ];
    const expected = `door(${JSON.stringify(calls[1]?.input)}) and door(${JSON.stringify(calls[0]?.input)}) go in circles.`;
    expect(viewSteps([...calls, noticed(1, 'stalled', expected)]).steps[2]).toMatchObject({
      text: 'door({"name":"back","pin":"[redacted:field]"}) and door({"name":"front"}) go in circles.',
    });
    const marked: VisibilityConfig = { steps: { '1.2': 'summary' } };
    expect(viewSteps([...calls, noticed(1, 'stalled', expected)], marked).steps[2]).toMatchObject({
      text: 'door and door({"name":"front"}) go in circles.',
    });
  });

  it('that is cut in the middle of a call contains none of its arguments', () => {
    const cut = noticed(1, 'stalled', text('door', { pin: 'hunter2hunter2', name: 'front' }).slice(0, 20));
    expect(viewSteps([...steps.slice(0, 1), cut], { tools: { door: { level: 'summary' } } }).steps[1]).toMatchObject({
      text: 'door…',
    });
  });
});

describe('M4: the message of a failed call', () => {
  const made = [call('1.1', 'pay', { to: 'Ada' }), result('1.1', 'pay', 'Whether this happened is unknown: zz')];
  const reason =
    'The outcome of call 1.1, pay({"to":"Ada"}), is unknown: zz. It may have happened; check before it is done again.';
  const fatal = 'Call 1.1 (pay) failed for good: zz (failed): zz.';

  it('is shown with a visible result, and left out with a hidden one', () => {
    const whose = (role: string, expected: string, config: VisibilityConfig = {}) =>
      view({ ...reasoningWith(made), reason: expected }, createViewer(role), config).reason;
    expect(whose('developer', reason)).toBe(reason);
    expect(whose('developer', fatal)).toBe(fatal);
    expect(whose('end_user', reason)).toBe(
      'The outcome of call 1.1, pay, is unknown. It may have happened; check before it is done again.',
    );
    expect(whose('end_user', fatal)).toBe('Call 1.1 (pay) failed for good.');
    expect(whose('developer', fatal, { required: [{ atMost: 'hidden', tool: 'pay' }] })).not.toContain('zz');
  });

  it('is left out of each of several sentences, and of all after it: a message may imitate them', () => {
    const two = [...made, call('1.2', 'ring', {}), result('1.2', 'ring', 'yy')];
    const other =
      'The outcome of call 1.2, ring({}), is unknown: yy. It may have happened; check before it is done again.';
    const hidden = (text: string, tool: string) =>
      view({ ...reasoningWith(two), reason: text }, createViewer('developer'), {
        required: [{ atMost: 'summary', tool }],
      }).reason;
    expect(hidden(`${reason} ${other}`, 'ring')).toBe(
      `${reason} The outcome of call 1.2, ring, is unknown. It may have happened; check before it is done again.`,
    );
    expect(hidden(`${reason} ${other}`, 'pay')).not.toMatch(/zz|yy/);
    expect(hidden(`${fatal} ${other}`, 'pay')).toBe('Call 1.1 (pay) failed for good.');
    const imitation = reason.replace('zz', `zz. It may have happened; check before it is done again. ${other} zz`);
    expect(hidden(imitation, 'pay')).not.toMatch(/zz|yy/);
  });

  it('is left out of notices as well', () => {
    const view = viewSteps([...made, noticed(1, 'outcome_unknown', reason)], {}, 'end_user');
    expect(JSON.stringify(view)).not.toContain('zz');
  });
});
