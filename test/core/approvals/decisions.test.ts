/** Each decision in each state of a request: taken, or refused with a sentence that tells the person what to do. */

import { describe, expect, it } from 'vitest';
import { findRejection } from '../../../src/core/approvals/command-rejection.js';
import { validateCommand } from '../../../src/core/engine/validate-command.js';
import type { Json } from '../../../src/core/lib/json.js';
import type { DecisionInput } from '../../../src/core/model/command.js';
import { defaults } from '../../../src/core/model/defaults.js';
import type { RequestKind, RequestRules } from '../../../src/core/model/request.js';
import {
  agentOf,
  asks,
  look,
  pay,
  save,
  someInput,
  someTools,
  tool,
  toolFailure,
} from '../../support/core-builders.js';
import { decides, limits, needs, pauses, resumes, rules, type Spoken, steers } from '../../support/core-people.js';
import { type Play, prepared, started } from '../../support/core-play.js';

const open: Partial<RequestRules> = { expiresMs: 60_000 };
const agent = (question: Partial<RequestRules> = {}) =>
  agentOf({ tools: [...someTools, tool('ask_user', { question: rules({ ...open, ...question }) })] });

/** A chain that asks about call 1.1. */
const asking: { readonly [kind in RequestKind]: (given?: Partial<RequestRules>) => Play } = {
  approval: (given = {}) => {
    const play = prepared(agent(), { ...someInput, user: 'ada' });
    play.replied(needs([rules({ ...open, ...given })], pay({ to: 'Bob' })));
    return play;
  },
  outcome: (given = {}) => {
    const play = asking.approval(given);
    play.take(decides('1.1', { kind: 'approve' }, { by: 'cem', roles: ['ops'] }));
    if (given.approvers === 2) play.take(decides('1.1', { kind: 'approve' }, { by: 'dan', roles: ['ops'] }));
    play.broke('1.1', toolFailure('timeout'));
    return play;
  },
  question: (given = {}) => {
    const play = prepared(agent(given), { ...someInput, user: 'ada' });
    play.replied(asks({ tool: 'ask_user', input: { question: 'Which account?' } }));
    return play;
  },
};

const words: readonly DecisionInput[] = [
  { kind: 'approve' },
  { kind: 'approve', always: true },
  { kind: 'approve', input: { to: 'Eve' } },
  { kind: 'deny' },
  { kind: 'answer', answer: 'Account 7.' },
  { kind: 'happened', observation: 'It is paid.' },
  { kind: 'not_happened' },
  { kind: 'give_up' },
];

const fits: { readonly [kind in RequestKind]: readonly DecisionInput['kind'][] } = {
  approval: ['approve', 'deny', 'answer'],
  outcome: ['happened', 'not_happened', 'give_up'],
  question: ['answer', 'deny'],
};

/** Where a decision finds the request, who says it, and why it is not taken; null where it is, if the word fits. */
const cases: readonly {
  readonly name: string;
  readonly rules?: Partial<RequestRules>;
  readonly before?: (play: Play, kind: RequestKind) => void;
  readonly who?: Partial<Spoken>;
  readonly call?: string;
  readonly digest?: string;
  readonly why: RegExp | null;
}[] = [
  { name: 'waiting', why: null },
  { name: 'waiting, nobody named', who: { by: null }, why: null },
  { name: 'waiting, to one of the roles', rules: { roles: ['ops', 'lead'] }, who: { roles: ['x', 'ops'] }, why: null },
  {
    name: 'to another role',
    rules: { roles: ['ops'] },
    who: { roles: ['dev'] },
    why: /^Call 1\.1 is for the role ops to decide, and ana has the role dev\.$/,
  },
  {
    name: 'to no role',
    rules: { roles: ['ops', 'lead'] },
    why: /for one of the roles ops, lead .* ana has no role\.$/,
  },
  {
    name: 'to nobody, where the requester may not',
    rules: { byRequester: false },
    who: { by: null },
    why: /needs to know who decides: say by whom\.$/,
  },
  {
    name: 'to the requester, who may not',
    rules: { byRequester: false },
    who: { by: 'ada' },
    why: /^ada asked for this chain, and may not decide on call 1\.1: somebody else has to\.$/,
  },
  { name: 'to somebody else, where the requester may not', rules: { byRequester: false }, why: null },
  {
    name: 'escalated',
    rules: { roles: ['ops'], escalation: { afterMs: 1_000, roles: ['boss'] } },
    before: (play) => play.after(1_000),
    who: { roles: ['boss'] },
    why: null,
  },
  {
    name: 'just before it is escalated',
    rules: { roles: ['ops'], escalation: { afterMs: 1_000, roles: ['boss'] } },
    before: (play) => play.after(999),
    who: { roles: ['boss'] },
    why: /is for the role ops to decide/,
  },
  { name: 'in its last moment', before: (play) => play.after(59_999), why: null },
  {
    name: 'at the moment when it expires',
    before: (play) => play.after(60_000),
    why: /^The time to decide on call 1\.1 has run out: it was 1 min\./,
  },
  {
    name: 'expired',
    before: (play) => play.after(60_000).fired('request'),
    why: /^Call 1\.1 waits for nobody|coming to its end/,
  },
  {
    name: 'decided',
    before: (play, kind) => {
      const word = { approval: 'deny', question: 'deny', outcome: 'not_happened' } as const;
      play.take(decides('1.1', { kind: word[kind] }));
    },
    why: /^Call 1\.1 waits for nobody/,
  },
  { name: 'with its digest', digest: 'own', why: null },
  { name: 'with another digest', digest: 'stale', why: /its digest is \w+, not stale\. Look at it again\.$/ },
  { name: 'another call', call: '1.7', why: /^There is no call 1\.7|^Call 1\.7/ },
  { name: 'a call of another step', call: '9.1', why: /^There is no call 9\.1 in this chain\. These wait: 1\.1\.$/ },
  { name: 'no call at all', call: 'x', why: /^There is no call x in this chain\. These wait: 1\.1\.$/ },
  { name: 'another chain', who: { chainId: 'chain-9' }, why: /^This is for chain chain-9, and this one is chain-1\.$/ },
  { name: 'this chain by name', who: { chainId: 'chain-1' }, why: null },
  {
    name: 'an ending chain',
    before: (play) => play.cancelledBy('bob'),
    why: /^The chain is coming to its end as cancelled: Cancelled by bob\./,
  },
  {
    name: 'said before',
    before: (play) => play.take(steers('Look.', { id: 'once' })),
    who: { id: 'once' },
    why: /^This was said before, and has been taken\.$/,
  },
];

const kinds = Object.keys(asking) as RequestKind[];
const table = kinds.flatMap((kind) => words.flatMap((word) => cases.map((each) => ({ kind, word, each }))));

describe('a decision', () => {
  it.each(table.map((row) => [`${row.kind}, ${JSON.stringify(row.word)}: ${row.each.name}`, row] as const))(
    '%s',
    (_name, { kind, word, each }) => {
      const play = asking[kind](each.rules);
      each.before?.(play, kind);
      const key = play.state.flight.kind === 'calls' ? (play.state.flight.calls[0]?.key ?? null) : null;
      const digest = each.digest === 'own' ? key : (each.digest ?? null);
      const said: Spoken = { ...decides(each.call ?? '1.1', word, {}, digest), ...each.who };
      const refused = validateCommand(play.state, [], said, play.at);
      if (each.why !== null) expect(refused).toMatch(each.why);
      else if (fits[kind].includes(word.kind)) expect(refused).toBeNull();
      else expect(refused).toMatch(new RegExp(`^Call 1\\.1 waits for .*: say one of ${fits[kind].join(', ')}\\.$`));
      const { chain } = play;
      play.take(said);
      const [told] = play.chain.notices
        .slice(chain.notices.length)
        .filter((notice) => notice.code === 'command_rejected');
      // What expires at this moment is settled first, and then waits for nobody.
      if (refused !== null)
        expect(told?.text).toContain(each.name.startsWith('at the moment') ? 'was not taken' : refused);
      else expect([told, play.state.head !== chain.state.head]).toEqual([undefined, true]);
      if (refused === null) expect(play.step.calls[0]?.requests?.at(-1)?.decisions).toHaveLength(1);
    },
  );

  it('before the agent is known: there is nothing to decide yet', () => {
    const play = started();
    expect(findRejection(play.state, decides('1.1', { kind: 'approve' }), play.at)).toBe(
      'There is no call 1.1 in this chain. Nothing waits for a person now.',
    );
    expect(findRejection(play.state, limits({ steps: 20 }), play.at)).toBe(
      'The agent is not known yet: try again in a moment.',
    );
  });

  it('that does not come in time because the expiry ends the chain is refused before it is accepted', () => {
    const play = asking.outcome();
    expect(validateCommand(play.state, [], steers('Wait.'), play.at + 60_000)).toMatch(
      /^The chain is coming to its end as failure/,
    );
  });

  it.each<[string, Json]>([
    ['an answer', 'x'.repeat(defaults.messageCharacters + 1)],
    ['an answer as data', { rows: Array.from({ length: 10_000 }, () => 'abcdef') }],
  ])('that brings too much (%s) is refused: people write what can be read', (_what, answer) => {
    const play = asking.question();
    expect(validateCommand(play.state, [], decides('1.1', { kind: 'answer', answer }), play.at)).toMatch(
      /^The answer to call 1\.1 has \d+ characters, and 32000 are the most\./,
    );
  });

  it('with changed arguments that no payload would hold is refused', () => {
    const play = prepared();
    play.replied(needs([rules()], pay(1)));
    const change = (characters: number) => {
      const input = { a: 'x'.repeat(characters - '{"a":""}'.length) };
      return validateCommand(play.state, [], decides('1.1', { kind: 'approve', input }), play.at);
    };
    expect(change(defaults.inputCharacters + 1)).toMatch(/^The changed arguments of call 1\.1 have 200001 characters/);
    expect(change(defaults.inputCharacters)).toBeNull();
  });

  it('with changed arguments that do not fit the schema is refused, saying where', () => {
    const schema = {
      type: 'object',
      properties: { to: { type: 'object', properties: { name: { type: 'string' } } } },
      required: ['to'],
    };
    const strict = agentOf({ tools: [tool('pay', { effects: 'unsafe', inputSchema: schema })] });
    const play = prepared(strict);
    play.replied(needs([rules()], pay({ to: { name: 'Bob' } })));
    const change = (input: Json) =>
      validateCommand(play.state, [], decides('1.1', { kind: 'approve', input }), play.at);
    expect(change({ to: { name: 7 } })).toMatch(/^The changed arguments do not fit pay: to\.name: /);
    expect(change({})).toMatch(/^The changed arguments do not fit pay: .*to/);
    expect(change({ to: { name: 'Eve' } })).toBeNull();
  });

  it('is never stopped by a schema that cannot be followed: the tool looks for itself', () => {
    for (const inputSchema of [{ $ref: '#/nowhere' }, { type: 'object', properties: { a: { pattern: '(' } } }]) {
      const play = prepared(agentOf({ tools: [tool('pay', { effects: 'unsafe', inputSchema })] }));
      play.replied(needs([rules()], pay({ a: 'b' })));
      expect(
        validateCommand(play.state, [], decides('1.1', { kind: 'approve', input: { a: 'c' } }), play.at),
      ).toBeNull();
    }
  });

  it('meets what the same task has delivered', () => {
    const play = asking.approval();
    const first = { ...decides('1.1', { kind: 'deny' }), at: play.at } as const;
    expect(validateCommand(play.state, [first], decides('1.1', { kind: 'approve' }), play.at)).toMatch(
      /^Call 1\.1 waits for nobody/,
    );
    expect(validateCommand(play.state, [], decides('1.1', { kind: 'approve' }), play.at)).toBeNull();
  });
});

describe('who may do what besides', () => {
  const permissions = { steer: ['lead'], pause: ['ops', 'lead'], limit: ['cfo'], cancel: ['lead'] };
  it.each<[string, Spoken, string]>([
    ['steer', steers('Go.'), 'lead'],
    ['pause', pauses(), 'ops'],
    ['limit', limits({ steps: 20 }), 'cfo'],
  ])('%s: those to whom the agent permits it', (verb, said, role) => {
    const play = prepared(agentOf({ permissions }));
    expect(findRejection(play.state, said, play.at)).toMatch(
      new RegExp(`may do this \\(${verb}\\), and ana has no role\\.$`),
    );
    expect(findRejection(play.state, { ...said, roles: [role] }, play.at)).toBeNull();
  });

  it('resume: those who may pause', () => {
    const play = prepared(agentOf({ permissions }));
    expect(findRejection(play.state, resumes({ roles: ['ops'] }), play.at)).toMatch(/^The chain is not paused/);
    expect(findRejection(play.state, resumes(), play.at)).toMatch(/may do this \(pause\)/);
  });

  it('who speaks before the agent is known is held to them once it is', () => {
    const play = started();
    const lead = { by: 'lea', roles: ['lead'] };
    play.take(steers('Mine.'), pauses());
    play.take(steers('Hers.', { ...lead, id: 'once' }), steers('Hers.', { ...lead, id: 'once' }), pauses(null, lead));
    play.take(resumes(lead), pauses(null, lead));
    play.take({ type: 'prepared', agent: agentOf({ permissions }) });
    expect(play.chain.messages.map(({ text }) => text)).toEqual(['Hers.']);
    expect(play.chain.notices.map(({ code: kind }) => kind)).toEqual([
      ...['ignored', 'ignored', 'ignored', 'paused', 'resumed', 'paused'],
    ]);
    expect([play.modelCalls, play.state.pendingCommands]).toEqual([[], []]);
  });

  it('and is told where it never is', () => {
    const play = started();
    play.take(steers('Mine.'));
    play.take({ type: 'prepareFailed', failure: toolFailure('BadDefinition') });
    expect(play.chain.notices.at(-1)?.text).toMatch(/^A message by ana was not taken: The chain is coming to its end/);
    expect([play.chain.messages, play.result.outcome]).toEqual([[], 'failure']);
  });

  it('and many words before then are too many', () => {
    const play = started();
    for (let nth = 0; nth < defaults.earlyMessages; nth++) play.take(steers(`Word ${nth}`));
    expect(findRejection(play.state, steers('One more'), play.at)).toBe(
      'The agent is not known yet: try again in a moment.',
    );
  });

  it('a request names its own roles: the permissions of the agent do not matter to it', () => {
    const play = prepared(agentOf({ permissions }));
    play.replied(needs([rules({ roles: ['ops'] }), null, null], pay(), look(), save()));
    expect(findRejection(play.state, decides('1.1', { kind: 'deny' }, { roles: ['ops'] }), play.at)).toBeNull();
  });
});
