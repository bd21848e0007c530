/** Each decision in each state of a request: applied, or rejected with a code and a sentence. */

import { describe, expect, it } from 'vitest';
import { findRejection } from '../../../../src/core/engine/approvals/command-rejection.js';
import { validateCommand } from '../../../../src/core/engine/validate-command.js';
import type { Json } from '../../../../src/core/lib/json.js';
import type { DecisionInput } from '../../../../src/core/model/command.js';
import { defaults } from '../../../../src/core/model/defaults.js';
import type { Rejection } from '../../../../src/core/model/rejection.js';
import type { RequestKind, RequestRules } from '../../../../src/core/model/request.js';
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
} from '../../../support/core-builders.js';
import {
  decides,
  limits,
  needs,
  pauses,
  resumes,
  rules,
  type SentCommand,
  steers,
} from '../../../support/core-people.js';
import { type Play, prepared, started } from '../../../support/core-play.js';

const open: Partial<RequestRules> = { expiresMs: 60_000 };
const agent = (question: Partial<RequestRules> = {}) =>
  agentOf({ tools: [...someTools, tool('ask_user', { question: rules({ ...open, ...question }) })] });

/** A chain with an open request about call 1.1. */
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

const decisionInputs: readonly DecisionInput[] = [
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

/** States of the request and senders, with the rejection as `code: message`; null where a fitting decision applies. */
const cases: readonly {
  readonly name: string;
  readonly rules?: Partial<RequestRules>;
  readonly before?: (play: Play, kind: RequestKind) => void;
  readonly sender?: Partial<SentCommand>;
  readonly call?: string;
  readonly digest?: string;
  readonly rejection: RegExp | null;
}[] = [
  { name: 'waiting', rejection: null },
  { name: 'waiting, by an unnamed sender', sender: { by: null }, rejection: null },
  {
    name: 'waiting, by one of the roles',
    rules: { roles: ['ops', 'lead'] },
    sender: { roles: ['x', 'ops'] },
    rejection: null,
  },
  {
    name: 'by another role',
    rules: { roles: ['ops'] },
    sender: { roles: ['dev'] },
    rejection: /^not_entitled: .*\bops; ana .*\bdev\.$/,
  },
  {
    name: 'by no role',
    rules: { roles: ['ops', 'lead'] },
    rejection: /^not_entitled: .*\bops, lead; ana has no role\.$/,
  },
  {
    name: 'by an unnamed sender, where the requester may not',
    rules: { byRequester: false },
    sender: { by: null },
    rejection: /^sender_missing: .*1\.1/,
  },
  {
    name: 'by the requester, who may not',
    rules: { byRequester: false },
    sender: { by: 'ada' },
    rejection: /^not_entitled: ada started this chain/,
  },
  { name: 'by another person, where the requester may not', rules: { byRequester: false }, rejection: null },
  {
    name: 'escalated',
    rules: { roles: ['ops'], escalation: { afterMs: 1_000, roles: ['boss'] } },
    before: (play) => play.after(1_000),
    sender: { roles: ['boss'] },
    rejection: null,
  },
  {
    name: 'just before it is escalated',
    rules: { roles: ['ops'], escalation: { afterMs: 1_000, roles: ['boss'] } },
    before: (play) => play.after(999),
    sender: { roles: ['boss'] },
    rejection: /^not_entitled: .*\bops;/,
  },
  { name: 'in its last moment', before: (play) => play.after(59_999), rejection: null },
  {
    name: 'at the moment when it expires',
    before: (play) => play.after(60_000),
    rejection: /^request_expired: .*1\.1.*1 min/,
  },
  {
    name: 'expired',
    before: (play) => play.after(60_000).fired('request'),
    rejection: /^(call_not_waiting: Call 1\.1|ending:)/,
  },
  {
    name: 'decided',
    before: (play, kind) => {
      const decision = { approval: 'deny', question: 'deny', outcome: 'not_happened' } as const;
      play.take(decides('1.1', { kind: decision[kind] }));
    },
    rejection: /^call_not_waiting: Call 1\.1 /,
  },
  { name: 'with its digest', digest: 'own', rejection: null },
  {
    name: 'with another digest',
    digest: 'stale',
    rejection: /^call_changed: .*stale/,
  },
  { name: 'another call', call: '1.7', rejection: /^call_not_(found|waiting): .*[Cc]all 1\.7/ },
  {
    name: 'a call of another step',
    call: '9.1',
    rejection: /^call_not_found: .*9\.1.*: 1\.1\.$/,
  },
  {
    name: 'no call at all',
    call: 'x',
    rejection: /^call_not_found: .*\bx\b.*: 1\.1\.$/,
  },
  {
    name: 'another chain',
    sender: { chainId: 'chain-9' },
    rejection: /^other_chain: .*chain-9.*chain-1/,
  },
  { name: 'this chain by name', sender: { chainId: 'chain-1' }, rejection: null },
  {
    name: 'an ending chain',
    before: (play) => play.cancelledBy('bob'),
    rejection: /^ending: .*cancelled.*bob/,
  },
  {
    name: 'with an id that was accepted before',
    before: (play) => play.take(steers('Look.', { id: 'once' })),
    sender: { id: 'once' },
    rejection: /^duplicate: /,
  },
];

const toText = (rejection: Rejection | null) => (rejection === null ? null : `${rejection.code}: ${rejection.message}`);

const kinds = Object.keys(asking) as RequestKind[];
const table = kinds.flatMap((kind) =>
  decisionInputs.flatMap((decision) => cases.map((each) => ({ kind, decision, each }))),
);

describe('a decision', () => {
  it.each(table.map((row) => [`${row.kind}, ${JSON.stringify(row.decision)}: ${row.each.name}`, row] as const))(
    '%s',
    (_name, { kind, decision, each }) => {
      const play = asking[kind](each.rules);
      each.before?.(play, kind);
      const key = play.state.flight.kind === 'calls' ? (play.state.flight.calls[0]?.key ?? null) : null;
      const digest = each.digest === 'own' ? key : (each.digest ?? null);
      const sent: SentCommand = { ...decides(each.call ?? '1.1', decision, {}, digest), ...each.sender };
      const rejection = validateCommand(play.state, [], sent, play.at);
      const expected = fits[kind].join(', ');
      if (each.rejection !== null) expect(toText(rejection)).toMatch(each.rejection);
      else if (fits[kind].includes(decision.kind)) expect(rejection).toBeNull();
      else
        expect(toText(rejection)).toMatch(
          new RegExp(`^wrong_decision: Call 1\\.1 .*${expected}, not ${decision.kind}\\.$`),
        );
      const { chain } = play;
      play.take(sent);
      const [notice] = play.chain.notices.slice(chain.notices.length).filter(({ code }) => code === 'command_rejected');
      // A request that expires at this moment is settled first: the decision is then rejected for another reason.
      if (rejection !== null)
        expect(notice?.text).toContain(each.name.startsWith('at the moment') ? 'was rejected' : rejection.message);
      else expect([notice, play.state.head !== chain.state.head]).toEqual([undefined, true]);
      if (rejection === null) expect(play.step.calls[0]?.requests?.at(-1)?.decisions).toHaveLength(1);
    },
  );

  it('before the agent is known is rejected: no call is awaiting one', () => {
    const play = started();
    expect(findRejection(play.state, decides('1.1', { kind: 'approve' }), play.at)).toMatchObject({
      code: 'call_not_found',
      message: expect.stringContaining('1.1'),
    });
    expect(findRejection(play.state, limits({ steps: 20 }), play.at)).toMatchObject({ code: 'not_ready' });
  });

  it('that arrives after an expiry that ends the chain is rejected before it is accepted', () => {
    const play = asking.outcome();
    expect(validateCommand(play.state, [], steers('Wait.'), play.at + 60_000)).toMatchObject({
      code: 'ending',
      message: expect.stringMatching(/^The chain is ending as failure/),
    });
  });

  it.each<[string, Json]>([
    ['an answer', 'x'.repeat(defaults.messageCharacters + 1)],
    ['an answer as data', { rows: Array.from({ length: 10_000 }, () => 'abcdef') }],
  ])('with too long a content (%s) is rejected', (_name, answer) => {
    const play = asking.question();
    expect(validateCommand(play.state, [], decides('1.1', { kind: 'answer', answer }), play.at)).toMatchObject({
      code: 'too_long',
      message: expect.stringMatching(/^The answer to call 1\.1 is [\d,]+ characters; the limit is 32,000\./),
    });
  });

  it('with changed arguments too large for a payload is rejected', () => {
    const play = prepared();
    play.replied(needs([rules()], pay(1)));
    const change = (characters: number) => {
      const input = { a: 'x'.repeat(characters - '{"a":""}'.length) };
      return validateCommand(play.state, [], decides('1.1', { kind: 'approve', input }), play.at);
    };
    expect(change(defaults.inputCharacters + 1)).toMatchObject({
      code: 'too_long',
      message: expect.stringMatching(/^The input of call 1\.1 is 200,001 characters/),
    });
    expect(change(defaults.inputCharacters)).toBeNull();
  });

  it('with changed arguments that do not match the schema is rejected, with the position', () => {
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
    expect(toText(change({ to: { name: 7 } }))).toMatch(/^arguments_invalid: .* the schema of pay: to\.name: /);
    expect(toText(change({}))).toMatch(/^arguments_invalid: .* the schema of pay: .*to/);
    expect(change({ to: { name: 'Eve' } })).toBeNull();
  });

  it('is not rejected for an invalid schema: the tool checks its own', () => {
    for (const inputSchema of [{ $ref: '#/nowhere' }, { type: 'object', properties: { a: { pattern: '(' } } }]) {
      const play = prepared(agentOf({ tools: [tool('pay', { effects: 'unsafe', inputSchema })] }));
      play.replied(needs([rules()], pay({ a: 'b' })));
      expect(
        validateCommand(play.state, [], decides('1.1', { kind: 'approve', input: { a: 'c' } }), play.at),
      ).toBeNull();
    }
  });

  it('is validated after the facts that the same workflow task delivered', () => {
    const play = asking.approval();
    const first = { ...decides('1.1', { kind: 'deny' }), at: play.at } as const;
    expect(validateCommand(play.state, [first], decides('1.1', { kind: 'approve' }), play.at)).toMatchObject({
      code: 'call_not_waiting',
    });
    expect(validateCommand(play.state, [], decides('1.1', { kind: 'approve' }), play.at)).toBeNull();
  });
});

describe('permissions of the agent', () => {
  const permissions = { steer: ['lead'], pause: ['ops', 'lead'], limit: ['cfo'], cancel: ['lead'] };
  it.each<[string, SentCommand, string]>([
    ['steer', steers('Go.'), 'lead'],
    ['pause', pauses(), 'ops'],
    ['limit', limits({ steps: 20 }), 'cfo'],
  ])('%s: only the permitted roles may', (verb, sent, role) => {
    const play = prepared(agentOf({ permissions }));
    expect(toText(findRejection(play.state, sent, play.at))).toMatch(
      new RegExp(`^not_permitted: .*\\b${verb}\\b.*ana has no role`),
    );
    expect(findRejection(play.state, { ...sent, roles: [role] }, play.at)).toBeNull();
  });

  it('resume: the roles that may pause', () => {
    const play = prepared(agentOf({ permissions }));
    expect(findRejection(play.state, resumes({ roles: ['ops'] }), play.at)).toMatchObject({ code: 'not_paused' });
    expect(findRejection(play.state, resumes(), play.at)).toMatchObject({ code: 'not_permitted' });
  });

  it('apply to pending commands once the agent is known', () => {
    const play = started();
    const lead = { by: 'lea', roles: ['lead'] };
    play.take(steers('Mine.'), pauses());
    play.take(steers('Hers.', { ...lead, id: 'once' }), steers('Hers.', { ...lead, id: 'once' }), pauses(null, lead));
    play.take(resumes(lead), pauses(null, lead));
    play.take({ type: 'prepared', agent: agentOf({ permissions }) });
    expect(play.chain.messages.map(({ text }) => text)).toEqual(['Hers.']);
    expect(play.chain.notices.map(({ code }) => code)).toEqual([
      ...['command_rejected', 'command_rejected', 'command_rejected', 'paused', 'resumed', 'paused'],
    ]);
    expect([play.modelCalls, play.state.pendingCommands]).toEqual([[], []]);
  });

  it('do not matter where the preparation fails: pending commands are rejected with a notice', () => {
    const play = started();
    play.take(steers('Mine.'));
    play.take({ type: 'prepareFailed', failure: toolFailure('BadDefinition') });
    expect(play.chain.notices.at(-1)).toMatchObject({
      code: 'command_rejected',
      text: expect.stringMatching(/^A message by ana was rejected: .*failure/),
    });
    expect([play.chain.messages, play.result.outcome]).toEqual([[], 'failure']);
  });

  it('are not known at first: only a limited number of commands may wait for the agent', () => {
    const play = started();
    for (let nth = 0; nth < defaults.pendingCommands; nth++) play.take(steers(`Message ${nth}`));
    expect(findRejection(play.state, steers('One more'), play.at)).toMatchObject({ code: 'not_ready' });
  });

  it('do not apply to requests, which have their own roles', () => {
    const play = prepared(agentOf({ permissions }));
    play.replied(needs([rules({ roles: ['ops'] }), null, null], pay(), look(), save()));
    expect(findRejection(play.state, decides('1.1', { kind: 'deny' }, { roles: ['ops'] }), play.at)).toBeNull();
  });
});
