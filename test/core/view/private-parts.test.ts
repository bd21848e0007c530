/** M6: the private parts of a reply. */

import { describe, expect, it } from 'vitest';
import { formatFindings } from '../../../src/core/engine/state/stop.js';
import { maskPrivateParts, removePrivateParts } from '../../../src/core/lib/private-parts.js';
import { createSnippetMasker } from '../../../src/core/view/snippet-masker.js';
import { createTokenFilter } from '../../../src/core/view/token-filter.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import { answers, asks, look, replyOf } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';
import { call, noticed, reasoningWith, synthesis, thought } from '../../support/some-reasoning.js';

const reply = 'Fine. <private>cnr1x is odd.</private> Pay it.';

describe("a reply's own private part", () => {
  it.each([
    ['Pay <private>it</private> now', 'Pay [private] now', 'Pay now'],
    ['<Private>\nlong\n</PRIVATE>\n\nPay', '[private]\n\nPay', 'Pay'],
    ['a <private>b <private>c</private> d</private> e', 'a [private] e', 'a e'],
    ['a <private>b', 'a [private]', 'a'],
    ['a</private> b', 'a</private> b', 'a</private> b'],
    ['no part < private ', 'no part < private ', 'no part < private '],
  ])('of %j is masked or removed', (text, masked, rest) => {
    expect(maskPrivateParts(text)).toBe(masked);
    expect(removePrivateParts(text)).toBe(rest);
    expect(removePrivateParts({ text: [text] })).toEqual({ text: [removePrivateParts(text)] });
  });

  it('is shown to developers and auditors, and to nobody below, in thoughts, calls, answers and notices', () => {
    const chain = reasoningWith([
      thought(1, reply),
      call('1.1', 'weather', { reply }),
      noticed(1, 'closing_call', reply),
      synthesis(2, { reply }),
    ]);
    const open = { roles: { reviewer: 'full' } } as const;
    const textOf = (role: string) => JSON.stringify(view(chain, createViewer(role), open));
    for (const role of ['developer', 'auditor']) expect(textOf(role).split('cnr1x')).toHaveLength(5);
    for (const role of ['reviewer', 'end_user']) expect(textOf(role)).not.toContain('cnr1x');
    expect(textOf('reviewer').split('Fine. [private] Pay it.')).toHaveLength(5);
  });

  it('is masked in short texts that every person may see, also where a text is cut', () => {
    const masker = createSnippetMasker();
    expect(masker.line(reply, 100)).toBe('Fine. [private] Pay it.');
    expect(masker.line(reply, 18)).not.toContain('cnr1x');
    expect(masker.value('weather', { reply }, 100)).not.toContain('cnr1x');
  });

  it('ends the tokens of viewers who do not read it', () => {
    const prose = 'The weather in Paris is mild today, and nobody there needs a coat. '.repeat(4);
    const sent = (hidesPrivate: boolean) => {
      const filter = createTokenFilter({}, { hidesPrivate });
      return [...`${prose}${reply} ${prose}`].map((piece) => filter(1, piece)).join('');
    };
    expect(sent(true)).not.toContain('<');
    expect(sent(false)).toContain('cnr1x is odd.');
  });

  it('is not in the answer that callers get, while the step keeps the reply as the model gave it', () => {
    const play = prepared();
    play.replied(answers({ text: reply }));
    expect(play.result.answer).toEqual({ text: 'Fine. Pay it.' });
    expect(play.step.answer).toEqual({ text: reply });
  });

  it('is not in the partial answer of a chain that stops before it answers', () => {
    const play = prepared();
    play.replied(replyOf({ ...asks(look()).reading, thought: reply }));
    expect(formatFindings(play.state)).toBe('Fine. Pay it.');
  });
});
