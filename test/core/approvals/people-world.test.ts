/** What holds for every chain with people in it, whatever they say and whenever they say it. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance } from '../../../src/core/engine/advance.js';
import { toChainResult } from '../../../src/core/engine/result.js';
import { takeTurn } from '../../../src/core/engine/turn.js';
import { validateCommand } from '../../../src/core/engine/validate-command.js';
import { countUtf8Bytes, type Json } from '../../../src/core/lib/json.js';
import type { AgentSnapshot } from '../../../src/core/model/agent.js';
import type { Call } from '../../../src/core/model/chain.js';
import type { Fact } from '../../../src/core/model/fact.js';
import type { RunLimits } from '../../../src/core/model/limits.js';
import { emptyState } from '../../../src/core/model/state.js';
import { type ChainEntry, emptyRecord, recordEntries } from '../../../src/core/state/entry.js';
import { getStrategy } from '../../../src/core/strategies/index.js';
import { autonomousDefaults, reactDefaults, toolsDefaults } from '../../../src/core/strategies/strategy.js';

import { budget } from '../../support/budget.js';

import { conversationFault } from '../../support/conversation-rules.js';
import { agentOf, someTools, tool } from '../../support/core-builders.js';
import { requestTokens, runWorld, type World } from '../../support/core-environment.js';
import { rules } from '../../support/core-people.js';

const strategies = [toolsDefaults, autonomousDefaults, { ...reactDefaults, scratchpad: true, requireThought: false }];
const askUser = tool('ask_user', { question: rules({ reason: 'The model asks.', expiresMs: 60_000 }) });

function withPrompt(agent: AgentSnapshot): AgentSnapshot {
  const request = getStrategy(agent.strategy).render({ ...emptyRecord, state: { ...emptyState, agent } }, agent);
  return { ...agent, promptBytes: countUtf8Bytes(JSON.stringify(request)) };
}

const someAgent = fc
  .record({
    strategy: fc.constantFrom(...strategies),
    steps: fc.integer({ min: 1, max: 8 }),
    tokens: fc.constantFrom(20_000, 1_000_000),
    timeMs: fc.constantFrom(60_000, 600_000),
    waitingCounts: fc.boolean(),
    stallThreshold: fc.constantFrom(3, 50),
    continueAfter: fc.constantFrom<RunLimits>({}, { steps: 1 }, { events: 20 }),
  })
  .map(({ strategy, waitingCounts, continueAfter, ...limits }) =>
    withPrompt(
      agentOf({
        ...{ strategy, limits, tools: [...someTools, askUser], model: { maxTokens: 2_000 }, continueAfter },
        ...(waitingCounts ? { waitingCounts } : {}),
      }),
    ),
  );

const script = fc.array(fc.integer({ min: 0, max: 9_999 }), { maxLength: 1_500, size: 'max' });

function everyWorld(check: (world: World, agent: AgentSnapshot) => void, numRuns = budget(75, 300)): void {
  fc.assert(
    fc.property(someAgent, script, (agent, numbers) => check(runWorld(agent, numbers, { people: true }), agent)),
    { numRuns, endOnFailure: true },
  );
}

const callsOf = ({ chain }: World): readonly Call[] => chain.steps.flatMap((step) => step.calls);

describe('every chain with people', () => {
  it('L7: ends, and never waits for nothing', () => {
    everyWorld((world) => {
      expect(world.stuck).toBe(false);
      expect(world.ended).toBe(true);
      for (const call of callsOf(world)) expect(call.status).not.toBe('pending');
    });
  });

  it('L5: runs a call once, and once more each time somebody says that it did not happen', () => {
    everyWorld((world) => {
      for (const call of callsOf(world)) {
        const began = world.ran.filter(({ call: { id } }) => id === call.id).length;
        const again = decisions(call).filter(({ kind }) => kind === 'not_happened').length;
        expect(began).toBeLessThanOrEqual(1 + again);
        if (call.status === 'ok') expect(began).toBe(1 + again);
        if (call.status === 'denied') expect(began).toBe(0);
      }
    });
  });

  it('L5: runs nothing that waits for a yes, and then what was said yes to', () => {
    everyWorld((world) => {
      for (const { call, turn } of world.ran) {
        const before = callsAfter(world, turn).find(({ id }) => id === call.id);
        const [request] = before?.requests ?? [];
        if (request?.kind !== 'approval') continue;
        const last = request.decisions.at(-1);
        expect(last?.partly).toBeUndefined();
        expect(last?.kind === 'approved' || request.rules.onExpiry === 'approve').toBe(true);
        expect(call.input).toEqual(before?.input);
        const alone = last?.kind === 'expired' || last?.always === true;
        const inFavour = request.decisions.slice(lastChange(request.decisions)).map(({ by }) => by);
        if (!alone) expect(new Set(inFavour).size).toBeGreaterThanOrEqual(request.rules.approvers);
      }
    });
  });

  it('decides each request once, unless the chain ends first', () => {
    everyWorld((world) => {
      for (const call of callsOf(world)) {
        for (const { decisions } of call.requests ?? []) {
          const final = decisions.filter(({ partly }) => !partly);
          expect(final.length).toBeLessThanOrEqual(1);
          if (final.length === 1) expect(decisions.at(-1)).toEqual(final[0]);
          else expect(['not_run', 'unknown']).toContain(call.status);
        }
      }
    });
  });

  it('takes what it did not refuse, and nothing else; signals and updates alike', () => {
    everyWorld(({ turns }) => {
      let state = emptyState;
      for (const turn of turns) {
        let next = { ...state, history: turn.history };
        for (const [at, fact] of turn.facts.entries()) {
          const refused =
            fact.type === 'commandReceived'
              ? validateCommand({ ...state, history: turn.history }, turn.facts.slice(0, at), fact, fact.at)
              : null;
          const { state: after, entries } = advance(next, fact);
          if (fact.type === 'commandReceived' && !fitsNoSchema(fact)) {
            expect([fact, refused, entries.some(isIgnored)]).toEqual([fact, refused, refused !== null]);
            if (refused !== null) expect(refused).toMatch(/^.{10,}\.$/s);
          }
          next = after;
        }
        state = takeTurn(state, turn.history, turn.facts).state;
        expect(state).toEqual(turn.state);
      }
    }, 60);
  });

  it('L6: never sends more than its reservation says, though every byte were a token', () => {
    everyWorld(({ calls }) => {
      for (const { action, request } of calls) {
        expect(requestTokens(request)).toBeLessThanOrEqual(action.reservation.inputTokens);
      }
    });
  });

  it('holds conversations that the wire takes, with all that was said in time', () => {
    everyWorld(({ calls }) => {
      for (const { request } of calls) {
        const messages = request.messages.map((message) => ({ ...message, content: message.content.map(asSent) }));
        expect(conversationFault(messages as unknown as Json)).toBeNull();
      }
    });
  });

  it('names each effect in doubt where it ends', () => {
    everyWorld((world) => {
      for (const call of callsOf(world)) {
        if (call.status === 'unknown')
          expect(toChainResult(world.chain.state).reason).toContain(`call ${call.id}, ${call.tool}`);
      }
    });
  });

  it('L2: keeps a state that is small', () => {
    everyWorld(({ turns }) => {
      for (const { state } of turns) {
        expect(state.seenCommandIds.length).toBeLessThanOrEqual(128);
        expect(state.breakpoints.length).toBeLessThanOrEqual(32);
      }
    }, 60);
  });
});

const decisions = (call: Call) => (call.requests ?? []).flatMap((request) => request.decisions);
const isIgnored = (entry: ChainEntry) => entry.type === 'notice-added' && entry.notice.code === 'command_rejected';

/** The place of the last decision that changed the arguments, from where votes count. */
function lastChange(said: readonly { readonly input?: Json }[]): number {
  return Math.max(
    0,
    said.findLastIndex(({ input }) => input !== undefined),
  );
}

/** Schemas are looked at where updates are admitted: a signal may bring arguments that the tool refuses. */
function fitsNoSchema({ command }: Extract<Fact, { type: 'commandReceived' }>): boolean {
  return command.kind === 'decide' && command.decision.kind === 'approve' && command.decision.input !== undefined;
}

/** The calls of the step under way, as a reader saw them after a turn. */
function callsAfter({ turns }: World, last: number): readonly Call[] {
  let state = emptyState;
  let calls: readonly Call[] = [];
  const entries: ChainEntry[] = [];
  for (const turn of turns.slice(0, last + 1)) {
    const taken = takeTurn(state, turn.history, turn.facts);
    state = taken.state;
    entries.push(...taken.entries);
  }
  calls = recordEntries(emptyRecord, state, entries).steps.at(-1)?.calls ?? [];
  return calls;
}

/** What is sent has arguments that are objects. */
function asSent(block: { readonly type: string; readonly input?: Json }): object {
  return block.type === 'tool_use' && typeof block.input !== 'object' ? { ...block, input: {} } : block;
}
