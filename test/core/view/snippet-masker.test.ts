/**
 * L8 for texts that every person may see: they are masked before they are cut, at a cost independent of their length.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCall } from '../../../src/core/lib/display.js';
import type { AgentSnapshot } from '../../../src/core/model/agent.js';
import { createSnippetMasker } from '../../../src/core/view/snippet-masker.js';
import { growth } from '../../support/cpu-cost.js';

const key = `sk-ant-api03-${'Zx9QwErTyU'.repeat(9)}`;
const agent = {
  tools: [
    { name: 'get', view: {} },
    { name: 'pay', view: { sensitive: ['pin', 'person.name', 'rows.*.note'] } },
  ],
} as unknown as AgentSnapshot;

function createMaskerFor(...calls: { tool: string; input: Parameters<typeof formatCall>[1] }[]) {
  const shown = createSnippetMasker();
  shown.beginStep(agent?.tools ?? null, calls);
  return shown;
}

describe('a text', () => {
  it('is masked, put in one line and cut', () => {
    const shown = createSnippetMasker();
    expect(shown.line(' mail\n a@x.com and  b@x.com ', 100)).toBe('mail [redacted:email] and [redacted:email#2]');
    expect(shown.line('b@x.com '.repeat(100), 20)).toBe('[redacted:email#2] …');
    expect(shown.block('one\n\ntwo', 100)).toBe('one\n\ntwo');
    expect(shown.block('x'.repeat(5_000), 100)).toBe(`${'x'.repeat(99)}…`);
  });

  it('shows no part of a secret at any cut', () => {
    fc.assert(
      fc.property(
        fc.nat(200),
        fc.constantFrom('line', 'block', 'value', 'json') as fc.Arbitrary<'line'>,
        (before, how) => {
          const raw = `${'a '.repeat(before)}${key} and so on`;
          const write = {
            line: () => createSnippetMasker().line(raw, 200),
            block: () => createSnippetMasker().block(raw, 200),
          };
          const values = {
            value: () => createSnippetMasker().value('get', raw, 200),
            json: () => createSnippetMasker().value('get', { list: [{ raw }] }, 200),
          };
          const text = { ...write, ...values }[how]();
          expect(text.length).toBeLessThanOrEqual(200);
          for (let at = 0; at + 14 <= key.length; at++) expect(text).not.toContain(key.slice(at, at + 14));
        },
      ),
    );
  });

  it('shows nothing of a private part at any cut', () => {
    for (let before = 0; before <= 220; before++) {
      const raw = `${'a '.repeat(before * 2)}<private>the plan is a secret</private> and so on`;
      const shown = createSnippetMasker();
      const texts = [shown.line(raw, 200), shown.block(raw, 200), shown.value('get', { list: [raw] }, 200)];
      for (const text of texts) expect(text).not.toContain('plan');
    }
    const json = JSON.stringify({ note: '<private>the plan</private>', pin: 1 }, null, 900);
    expect(createMaskerFor().value('pay', json, 200)).not.toContain('plan');
  });

  it('is only searched as far as it is shown', () => {
    const masked = (pieces: number) => {
      const shown = createSnippetMasker();
      const text = 'a@x.com '.repeat(pieces);
      return () => {
        for (let i = 0; i < 10; i++) {
          shown.line(text, 400);
          shown.value('get', { text, more: [text, text] }, 200);
        }
      };
    };
    // A hundred times as long: a text that is read to its end costs more than four times as much.
    expect(growth(4, masked(5_000), masked(500_000))).toBeLessThan(4);
  });
});

describe('arguments and results', () => {
  it('are masked at the sensitive paths of their tool, also in a text that is JSON', () => {
    const shown = createMaskerFor();
    expect(shown.value('pay', { pin: 1234, person: { name: 'Jo' }, sum: 5 }, 200)).toBe(
      '{"pin":"[redacted:field]","person":{"name":"[redacted:field#2]"},"sum":5}',
    );
    expect(shown.value('pay', '{"rows":[{"note":"n1"},{"note":null}]}', 200)).toBe(
      '{"rows":[{"note":"[redacted:field#3]"},{"note":null}]}',
    );
    expect(shown.value('pay', '{"rows":[{"note":"cut o', 200)).toBe('[redacted:field]');
    expect(shown.value('get', { pin: 12 }, 200)).toBe('{"pin":12}');
  });

  it('that are masked are masked in every later text', () => {
    const input = { pin: '98765432', person: { name: 'Jo "the" Rich' } };
    const shown = createMaskerFor({ tool: 'pay', input });
    expect(shown.line('I pay for Jo "the" Rich with 98765432.', 200)).toBe(
      'I pay for [redacted:field] with [redacted:field#2].',
    );
    expect(shown.value('get', { of: ['Jo "the" Rich'] }, 200)).toBe('{"of":["[redacted:field]"]}');
    expect(shown.call({ tool: 'pay', input })).toBe(
      'pay({"pin":"[redacted:field#2]","person":{"name":"[redacted:field]"}})',
    );
  });

  it('that are clipped are masked in every later text', () => {
    const shown = createMaskerFor();
    shown.rememberResult(
      'pay',
      '{"pin":"98765432","rows":[{"note":"of no [… 90 of 200 bytes left out …] rest","note":"for Jo Rich"}]}',
    );
    expect(shown.line('98765432 is of Jo Rich, for Jo Rich.', 200)).toBe(
      '[redacted:field] is of Jo Rich, [redacted:field#2].',
    );
  });

  it('are masked in a reason that contains the call with cut arguments', () => {
    const input = { text: 'x'.repeat(150), note: key };
    const shown = createMaskerFor({ tool: 'get', input });
    const reason = `The outcome of call 1.1, ${formatCall('get', input)}, is unknown.`;
    expect(reason).toContain(key.slice(0, 20));
    expect(shown.reason(reason, 400)).not.toContain(key.slice(0, 12));
  });
});

describe('arguments that a person changed', () => {
  const asked = { tool: 'pay', input: { to: 'bob', pin: '314159' } };
  const changed = { tool: 'pay', input: { to: 'bob', pin: '271828', why: 'x'.repeat(300) } };

  it('are masked from then on, and in a reason that contains the call with them', () => {
    const shown = createMaskerFor(asked);
    shown.replaceArguments(changed);
    expect(shown.line('Take 271828, not 314159.', 100)).not.toMatch(/271828|314159/);
    const reason = `The outcome of call 1.1, ${formatCall('pay', changed.input)}, is unknown.`;
    expect(shown.reason(reason, 400)).toContain('pay({"to":"bob","pin":"[redacted:field]","why":"xxx');
    expect(shown.reason(`${formatCall('pay', asked.input)} was asked for`, 400)).not.toContain('314159');
  });
});
