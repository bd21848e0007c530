/**
 * A tree of chains, each played by the real core, in a hostile environment: models that use their full reservation,
 * sub-chains that fail, are cancelled, are terminated without a report, or whose histories cannot be read.
 *
 * The true usage of a model call is drawn when it starts, and counts even if its chain never receives it.
 */

import { hash } from 'node:crypto';
import { parseChildReport, toChildEndedFact, toChildEndFromResult } from '../../src/contract/child-end.js';
import { createChildReport } from '../../src/core/engine/child-report.js';
import { toCloseResult } from '../../src/core/engine/result.js';
import { emptyRecord, recordEntries } from '../../src/core/engine/state/entry.js';
import { takeTurn } from '../../src/core/engine/turn.js';
import type { Action } from '../../src/core/model/action.js';
import type { AgentSnapshot } from '../../src/core/model/agent.js';
import type { ChildCharge, ChildEnd } from '../../src/core/model/child.js';
import type { ChainInput, Fact, ModelFailure, ModelReply } from '../../src/core/model/fact.js';
import { emptyState } from '../../src/core/model/state.js';
import { addUsage, computeCost, countTotalTokens, noUsage } from '../../src/core/model/usage.js';
import type { Chain } from '../../src/entries/view.js';
import type { Usage } from '../../src/index.js';
import { answers, modelFailure } from './core-builders.js';

type ModelAction = Extract<Action, { type: 'callModel' }>;

export interface TreeChain {
  readonly id: string;
  readonly parent: TreeChain | null;
  readonly agent: AgentSnapshot;
  chain: Chain;
  /** `terminated`: closed without a report. */
  life: 'runs' | 'closed' | 'terminated';
  /** The true usage of its model calls. */
  used: Usage;
  usd: number;
  /** The charge to its parent; null until it has ended. */
  charged: ChildCharge | null;
  /** Whether all usage of this chain and those below it was reported so far. */
  exact: boolean;
}

/** A fact that a chain waits for. */
interface Operation {
  readonly of: TreeChain;
  /** Messages come before results. */
  readonly rank: number;
  readonly order: number;
  readonly ends: (at: number) => Fact;
  /** The time of a timer; null for other operations. */
  readonly due: number | null;
}

export interface TreeOptions {
  /** The agents of the tree by name. */
  readonly agents: ReadonlyMap<string, AgentSnapshot>;
  readonly input: ChainInput;
  /** Returns the reply of an agent in its n-th step, from 1. */
  readonly reply: (agent: AgentSnapshot, step: number) => ModelReply;
  /** The rate of faults in percent. */
  readonly faults: number;
  /** Returns the next number below `n`. */
  readonly choose: (n: number) => number;
  /** Called after each turn of any chain. */
  readonly check: (tree: Tree, moved: TreeChain) => void;
}

const sha256 = (text: string): string => hash('sha256', text, 'hex');

export class Tree {
  readonly chains = new Map<string, TreeChain>();
  /** The true usage of the whole tree. */
  tokens = 0;
  usd = 0;
  private readonly under: Operation[] = [];
  private at = 1_000;
  private placed = 0;

  constructor(private readonly options: TreeOptions) {
    this.begin('root', options.input, null);
  }

  get root(): TreeChain {
    return this.chains.get('root')!;
  }

  /** @throws when a chain still runs and no operation can wake it */
  run(mostTurns = 20_000): void {
    for (let turn = 0; turn < mostTurns; turn++) {
      const next = this.next();
      if (next === null) break;
      if (this.happens(1)) this.lose(this.chooseOrParent(next.of));
      else this.deliver(next);
    }
    const left = [...this.chains.values()].filter(({ life }) => life === 'runs');
    if (left.length > 0) throw new Error(`Nothing wakes ${left.map(({ id }) => id).join(', ')}.`);
  }

  private begin(id: string, input: ChainInput, parent: TreeChain | null): void {
    const agent = this.options.agents.get(input.agent)!;
    const begun: TreeChain = {
      ...{ id, parent, agent, life: 'runs', used: noUsage, usd: 0, charged: null, exact: true },
      chain: { ...emptyRecord, state: emptyState },
    };
    this.chains.set(id, begun);
    this.put(begun, (at) => ({ type: 'started', at, chainId: id, input }));
  }

  private put(of: TreeChain, ends: Operation['ends'], due: number | null = null, rank = 1): void {
    this.under.push({ of, ends, due, rank, order: this.placed++ });
  }

  /** Returns the chain, or sometimes its parent, whose other sub-chains continue. */
  private chooseOrParent(below: TreeChain): TreeChain {
    const { choose } = this.options;
    const { parent } = below;
    return parent === null || parent.parent === null || choose(2) === 0 ? below : parent;
  }

  /** Returns any operation that can end now, or the timer that is due first. */
  private next(): Operation | null {
    const { choose } = this.options;
    const able = this.under.filter(({ due }) => due === null);
    const first = this.under.filter(({ due }) => due !== null).sort((a, b) => a.due! - b.due!)[0] ?? null;
    if (able.length === 0 || (first !== null && this.options.faults > 0 && choose(400) === 0)) return first;
    return able[choose(able.length)]!;
  }

  /** Delivers an operation, with others of the same chain in the same workflow task. */
  private deliver(next: Operation): void {
    const { choose } = this.options;
    const beside = this.under.filter(({ of, due }) => of === next.of && due === null && choose(3) === 0);
    const together = [...new Set([next, ...beside])].sort((a, b) => a.rank - b.rank || a.order - b.order);
    for (const each of together) this.under.splice(this.under.indexOf(each), 1);
    this.at = Math.max(this.at + 1 + choose(200), next.due ?? 0);
    this.take(
      next.of,
      together.map(({ ends }) => ends(this.at)),
    );
  }

  private take(moved: TreeChain, facts: readonly Fact[]): void {
    // Operations that are abandoned here are charged in full.
    if (facts.some(leavesBehind)) inexact(moved);
    const turn = takeTurn(moved.chain.state, { events: 3, bytes: 1_000, continueSuggested: false }, facts, sha256);
    if ('fault' in turn) throw turn.fault;
    const { state, actions, entries } = turn;
    moved.chain = recordEntries(moved.chain, state, entries);
    for (const action of actions) this.perform(moved, action);
    this.options.check(this, moved);
    if (this.happens(1)) this.cancel(moved);
  }

  private perform(by: TreeChain, action: Action): void {
    switch (action.type) {
      case 'prepare':
        this.put(by, (at) => ({ type: 'prepared', at, agent: limited(by) }));
        break;
      case 'callModel':
        this.callModel(by, action);
        break;
      case 'startChildren':
        for (const { chainId, input } of action.starts) this.startChild(by, chainId, input);
        break;
      case 'readChildren':
        for (const { chainId, includesTranscript } of action.children) this.readChild(by, chainId, includesTranscript);
        break;
      case 'score':
        this.put(by, (at) => ({ type: 'answersScored', at, call: action.call, scores: [] }));
        break;
      case 'startTimer':
        this.put(by, (at) => ({ type: 'timerFired', at, timer: action.timer }), this.at + action.ms);
        break;
      case 'interrupt':
        this.interrupt(by);
        break;
      case 'runCalls':
        throw new Error('The agents of a tree have no other tools.');
      case 'end':
        this.close(by);
    }
  }

  private callModel(by: TreeChain, action: ModelAction): void {
    const { choose, reply: chooseReply } = this.options;
    const { call, purpose, reservation } = action;
    const whole = choose(4) === 0;
    const input = whole ? reservation.inputTokens : 1 + choose(reservation.inputTokens);
    const output = whole ? reservation.outputTokens : 1 + choose(Math.min(reservation.outputTokens, 4_000));
    const cacheWrite = choose(2) === 0 ? 0 : choose(input);
    const used: Usage = { ...noUsage, input: input - cacheWrite, cacheWrite, output };
    const failure = this.happens(6) ? this.failure(used) : null;
    if (failure?.settle !== 'nothing') this.use(by, used);
    if (failure?.settle === 'reservation') inexact(by);
    this.put(by, (at) => {
      if (failure !== null) return { type: 'modelFailed', at, call, failure };
      const reply = purpose === 'closing' ? answers('So far.') : chooseReply(by.agent, by.chain.state.steps + 1);
      return { type: 'modelReplied', at, call, reply: { ...reply, usage: used } };
    });
  }

  private failure(usage: Usage): ModelFailure {
    const kind = (['overloaded', 'lost', 'timeout', 'bad_request'] as const)[this.options.choose(4)]!;
    if (kind === 'lost' || kind === 'timeout') return modelFailure(kind, { settle: 'reservation' });
    return this.options.choose(2) === 0 ? modelFailure(kind) : modelFailure(kind, { settle: 'usage', usage });
  }

  private use(by: TreeChain, usage: Usage): void {
    const { price } = by.agent.model;
    const usd = price === null ? 0 : computeCost(usage, price);
    by.used = addUsage(by.used, usage);
    by.usd += usd;
    this.tokens += countTotalTokens(usage);
    this.usd += usd;
  }

  private startChild(by: TreeChain, chainId: string, input: ChainInput): void {
    if (!this.happens(2)) this.begin(chainId, input, by);
    else this.report(by, chainId, { type: 'not_started', message: 'the server rejected it.' });
  }

  private report(parent: TreeChain, chainId: string, end: ChildEnd): void {
    this.put(parent, (at) => toChildEndedFact(chainId, at, end));
  }

  private readChild(by: TreeChain, chainId: string, transcript: boolean): void {
    const read = this.chains.get(chainId)!;
    const lost = this.happens(20);
    if (lost) inexact(by);
    const how = read.life === 'terminated' ? 'It was terminated.' : null;
    const report = lost
      ? null
      : parseChildReport(onTheWire(createChildReport(read.chain, how, { transcript, maxTokens: 500 })));
    read.charged = report?.charged ?? null;
    this.put(by, (at) => ({ type: 'childReportRead', at, chainId, report }));
  }

  /** Cancels a chain as the server does when its parent is cancelled. */
  private cancel(chain: TreeChain): void {
    if (chain.life !== 'runs') return;
    const id = this.options.choose(3) === 0 ? `by-name-${this.placed}` : null;
    this.put(chain, (at) => ({ type: 'cancelRequested', at, id, by: null, reason: null, summarize: false }), null, 0);
  }

  private interrupt(by: TreeChain): void {
    for (const [place, { of, ends, due, order }] of this.under.entries()) {
      if (of !== by || due !== null || this.options.choose(3) === 0) continue;
      const call = callOf(ends(this.at));
      if (call === null) continue;
      inexact(by);
      const failure = modelFailure('cancelled', { settle: 'reservation' });
      this.under[place] = { of, due, order, rank: 1, ends: (at) => ({ type: 'modelFailed', at, call, failure }) };
    }
    this.cancelBelow(by);
  }

  private cancelBelow(by: TreeChain): void {
    for (const child of this.chains.values()) {
      if (child.parent === by && child.life === 'runs') {
        this.put(
          child,
          (at) => ({ type: 'cancelRequested', at, id: null, by: null, reason: null, summarize: false }),
          null,
          0,
        );
      }
    }
  }

  private close(by: TreeChain): void {
    by.life = 'closed';
    const { state } = by.chain;
    const silent = state.stop?.outcome === 'cancelled' && state.temporalCancelled;
    this.end(by, silent ? cancelled : toChildEndFromResult(onTheWire(toCloseResult(state))));
  }

  /** Terminates a chain, with any operation under way. */
  private lose(lost: TreeChain): void {
    if (lost.life !== 'runs') return;
    lost.life = 'terminated';
    inexact(lost);
    this.end(lost, { type: 'silent', status: 'terminated', message: 'it was terminated.' });
  }

  private end(over: TreeChain, end: ChildEnd): void {
    if (end.type === 'reported') over.charged = end.report.charged;
    for (let place = this.under.length - 1; place >= 0; place--) {
      if (this.under[place]!.of === over) this.under.splice(place, 1);
    }
    this.cancelBelow(over);
    const { parent } = over;
    if (parent?.life === 'runs') this.report(parent, over.id, end);
  }

  private happens(percent: number): boolean {
    const { faults, choose } = this.options;
    return faults > 0 && choose(10_000) < percent * faults;
  }
}

const cancelled: ChildEnd = { type: 'silent', status: 'cancelled', message: 'it was cancelled.' };

/** Returns the snapshot with the limits that its parent set. */
function limited({ agent, chain }: TreeChain): AgentSnapshot {
  const given = Object.entries(chain.state.input?.limits ?? {}).filter(([, value]) => value !== undefined);
  return { ...agent, limits: { ...agent.limits, ...Object.fromEntries(given) } };
}

function leavesBehind(fact: Fact): boolean {
  return fact.type === 'cancelRequested' || (fact.type === 'timerFired' && fact.timer === 'grace');
}

function callOf(fact: Fact): string | null {
  return fact.type === 'modelReplied' || fact.type === 'modelFailed' ? fact.call : null;
}

function inexact(chain: TreeChain | null): void {
  for (let each = chain; each !== null; each = each.parent) each.exact = false;
}

function onTheWire(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Returns the true usage of a chain and those below it. */
export function usedBelow(tree: Tree, top: TreeChain): { readonly usage: Usage; readonly usd: number } {
  let all = { usage: noUsage, usd: 0 };
  for (const each of tree.chains.values()) {
    if (each !== top && !isBelow(each, top)) continue;
    all = { usage: addUsage(all.usage, each.used), usd: all.usd + each.usd };
  }
  return all;
}

function isBelow({ parent }: TreeChain, top: TreeChain): boolean {
  return parent !== null && (parent === top || isBelow(parent, top));
}
