/** Properties of every chain with people, for any commands at any time. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance } from '../../../../src/core/engine/advance.js';
import { toChainResult } from '../../../../src/core/engine/result.js';
import { type ChainEntry, emptyRecord, recordEntries } from '../../../../src/core/engine/state/entry.js';
import { takeTurn } from '../../../../src/core/engine/turn.js';
import { validateCommand } from '../../../../src/core/engine/validate-command.js';
import type { Json } from '../../../../src/core/lib/json.js';
import type { AgentSnapshot } from '../../../../src/core/model/agent.js';
import type { Call } from '../../../../src/core/model/chain.js';
import type { Fact } from '../../../../src/core/model/fact.js';
import type { RunLimits } from '../../../../src/core/model/limits.js';
import { emptyState } from '../../../../src/core/model/state.js';
import { autonomousDefaults, reactDefaults, toolsDefaults } from '../../../../src/core/strategies/strategy.js';

import { budget } from '../../../support/budget.js';

import { findConversationFault } from '../../../support/conversation-rules.js';
import { agentOf, someTools, tool } from '../../../support/core-builders.js';
import { requestTokens, runWorld, type World, withPromptBytes } from '../../../support/core-environment.js';
import { rules } from '../../../support/core-people.js';

const strategies = [toolsDefaults, autonomousDefaults, { ...reactDefaults, scratchpad: true, requireThought: false }];
const askUser = tool('ask_user', { question: rules({ reason: 'The model asks.', expiresMs: 60_000 }) });

const wait = tool('wait', { waits: true });

const someAgent = fc
  .record({
    strategy: fc.constantFrom(...strategies),
    steps: fc.integer({ min: 1, max: 8 }),
    tokens: fc.constantFrom(20_000, 1_000_000),
    timeMs: fc.constantFrom(60_000, 600_000),
    waitingCounts: fc.boolean(),
    stallThreshold: fc.constantFrom(3, 50),
    waitMs: fc.constantFrom(30_000, 7 * 24 * 3_600_000),
    continueAfter: fc.constantFrom<RunLimits>({}, { steps: 1 }, { events: 20 }),
    asks: fc.constantFrom({}, { onLimit: { expiresMs: 60_000 } }, { onLimit: { expiresMs: null } }),
  })
  .map(({ strategy, waitingCounts, continueAfter, asks, ...limits }) =>
    withPromptBytes(
      agentOf({
        ...{ strategy, limits, tools: [...someTools, askUser, wait], model: { maxTokens: 2_000 }, continueAfter },
        ...(waitingCounts ? { waitingCounts } : {}),
        ...asks,
      }),
    ),
  );

const script = fc.array(fc.integer({ min: 0, max: 9_999 }), { maxLength: 1_500, size: 'max' });

function everyWorld(check: (world: World, agent: AgentSnapshot) => void, numRuns = budget(25, 150)): void {
  fc.assert(
    fc.property(someAgent, script, (agent, numbers) => check(runWorld(agent, numbers, { people: true }), agent)),
    { numRuns, endOnFailure: true },
  );
}

const callsOf = ({ chain }: World): readonly Call[] => chain.steps.flatMap((step) => step.calls);

describe('every chain with people', () => {
  it('L7: ends, and never gets stuck', () => {
    everyWorld((world) => {
      expect(world.stuck).toBe(false);
      expect(world.ended).toBe(true);
      for (const call of callsOf(world)) expect(call.status).not.toBe('pending');
    });
  });

  it('L5: runs a call once, and once more each time a person resolves it as not happened', () => {
    everyWorld((world) => {
      for (const call of callsOf(world)) {
        const began = world.ran.filter(({ call: { id } }) => id === call.id).length;
        const again = decisions(call).filter(({ kind }) => kind === 'not_happened').length;
        expect(began).toBeLessThanOrEqual(1 + again);
        if (call.tool === 'wait') expect(began).toBe(0);
        else if (call.status === 'ok' && call.tool !== 'finish') expect(began).toBe(1 + again);
        if (call.status === 'denied') expect(began).toBe(0);
      }
    });
  });

  it('L5: runs a call only after its approval, with the approved arguments', () => {
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

  it('applies exactly the commands that validation accepts, as signals and as updates', () => {
    everyWorld(({ turns }) => {
      let state = emptyState;
      for (const turn of turns) {
        let next = { ...state, history: turn.history };
        for (const [at, fact] of turn.facts.entries()) {
          const rejection =
            fact.type === 'commandReceived'
              ? validateCommand({ ...state, history: turn.history }, turn.facts.slice(0, at), fact, fact.at)
              : null;
          const { state: after, entries } = advance(next, fact);
          if (fact.type === 'commandReceived' && !fitsNoSchema(fact)) {
            expect([fact, rejection, entries.some(isRejection)]).toEqual([fact, rejection, rejection !== null]);
            if (rejection !== null) expect(rejection.message).toMatch(/^.{10,}\.$/s);
          }
          next = after;
        }
        state = takeTurn(state, turn.history, turn.facts).state;
        expect(state).toEqual(turn.state);
      }
    }, 60);
  });

  it('L6: never sends more than its reservation, even if every byte were a token', () => {
    everyWorld(({ calls }) => {
      for (const { action, request } of calls) {
        expect(requestTokens(request)).toBeLessThanOrEqual(action.reservation.inputTokens);
      }
    });
  });

  it('renders conversations that providers accept', () => {
    everyWorld(({ calls }) => {
      for (const { request } of calls) {
        const messages = request.messages.map((message) => ({ ...message, content: message.content.map(asSent) }));
        expect(findConversationFault(messages as unknown as Json)).toBeNull();
      }
    });
  });

  it('names each unknown outcome in its reason', () => {
    everyWorld((world) => {
      for (const call of callsOf(world)) {
        if (call.status === 'unknown')
          expect(toChainResult(world.chain.state).reason).toContain(`call ${call.id}, ${call.tool}`);
      }
    });
  });

  it('L2: keeps a bounded state', () => {
    everyWorld(({ turns }) => {
      for (const { state } of turns) {
        expect(state.seenCommandIds.length).toBeLessThanOrEqual(128);
        expect(state.breakpoints.length).toBeLessThanOrEqual(32);
        expect(state.waits.signals.length).toBeLessThanOrEqual(32);
      }
    }, 60);
  });
});

const decisions = (call: Call) => (call.requests ?? []).flatMap((request) => request.decisions);
const isRejection = (entry: ChainEntry) => entry.type === 'notice-added' && entry.notice.code === 'command_rejected';

/** Returns the index of the last decision that changed the arguments: votes count from there. */
function lastChange(decisions: readonly { readonly input?: Json }[]): number {
  return Math.max(
    0,
    decisions.findLastIndex(({ input }) => input !== undefined),
  );
}

/** Only updates are validated against schemas: a signal may bring arguments that the tool rejects. */
function fitsNoSchema({ command }: Extract<Fact, { type: 'commandReceived' }>): boolean {
  return command.kind === 'decide' && command.decision.kind === 'approve' && command.decision.input !== undefined;
}

/** Returns the calls of the step under way, as a reader sees them after a turn. */
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

/** Arguments are objects when they are sent. */
function asSent(block: { readonly type: string; readonly input?: Json }): object {
  return block.type === 'tool_use' && typeof block.input !== 'object' ? { ...block, input: {} } : block;
}
