/** Performs what `decide` asks for: starts activities and timers, and puts what becomes of them into the inbox. */

import { CancellationScope, scheduleActivity, sleep, startChild, workflowInfo } from '@temporalio/workflow';
import type {
  ArchiveInput,
  CallModelInput,
  PrepareAgentInput,
  ReadChildInput,
  RunToolInput,
  ScoreInput,
} from '../contract/activities.js';
import { endOfFailure, endOfResult, factOfChild } from '../contract/child.js';
import { factOfActivity } from '../contract/facts.js';
import { failureOf } from '../contract/failure.js';
import { activityNames, archiveActivityId, prepareActivityId, workflowType } from '../contract/names.js';
import { toTimeout } from '../contract/temporal-limits.js';
import type { Action, ChildStart, ChildToRead } from '../core/model/action.js';
import { readActivityId, scoreActivityId } from '../core/model/activity.js';
import type { ChildEnd } from '../core/model/child.js';
import { defaults } from '../core/model/defaults.js';
import { parentOf } from '../core/model/lineage.js';
import type { PendingCall, State } from '../core/model/state.js';
import { withSensitive } from '../core/view/descent.js';
import type { Shown } from '../core/view/snippet-masker.js';
import type { Inbox } from './inbox.js';
import {
  archiveOptions,
  callModelOptions,
  childOptions,
  prepareOptions,
  readChildOptions,
  scoreOptions,
  toolOptions,
} from './temporal-options.js';
import { timerSummary } from './web-ui/summaries.js';

type Options = Parameters<typeof scheduleActivity>[2];

/** Activities that may share a scope, one after the other: a new one costs about as much as starting one. */
const mostInScope = 64;

export class Operations {
  private scheduled = 0;
  private running = 0;
  private inScope = 0;
  private readonly parent = CancellationScope.current();
  /** What runs, until it is told to stop. */
  private scope = this.newScope();
  /** Tells the sub-chains that run to stop. */
  private readonly toStop = new Set<() => void>();

  constructor(
    private readonly inbox: Inbox,
    private readonly shown: Shown,
  ) {}

  perform(state: State, action: Exclude<Action, { type: 'end' | 'continueAsNew' }>): void {
    switch (action.type) {
      case 'prepare':
        this.start(prepareActivityId, activityNames.prepareAgent, prepareInput(state), prepareOptions(state));
        break;
      case 'callModel':
        this.start(action.call, activityNames.callModel, callInput(state, action), callModelOptions(state, action));
        break;
      case 'runCalls':
        for (const call of action.calls) {
          this.start(call.id, call.tool, runInput(state, call), toolOptions(state, call, this.shown));
        }
        break;
      case 'startChildren':
        for (const start of action.starts) this.startChild(start);
        break;
      case 'readChildren':
        for (const child of action.children) this.readChild(child);
        break;
      case 'score':
        this.start(scoreActivityId(action.call), activityNames.score, scoreInput(state, action), scoreOptions(action));
        break;
      case 'startTimer':
        this.startTimer(state, action);
        break;
      case 'interrupt':
        this.renewScope();
        for (const stop of this.toStop) stop();
        break;
      default:
        action satisfies never;
    }
  }

  /** Nobody waits for it, and what becomes of it changes nothing here. */
  archive(runId: string): void {
    const input: ArchiveInput = { runId };
    const options = { ...archiveOptions(), activityId: archiveActivityId };
    void scheduleActivity<unknown>(activityNames.archive, [input], options).catch(() => {});
  }

  private start(id: string, type: string, input: unknown, options: Options, scope = this.scope): void {
    const order = this.scheduled++;
    this.running++;
    this.inScope++;
    void scope
      .run(() => scheduleActivity<unknown>(type, [input], { ...options, activityId: id }))
      .then(
        (value) => this.end(id, order, { ok: true, value }),
        (error: unknown) => this.end(id, order, { ok: false, failure: failureOf(error) }),
      );
  }

  private end(id: string, order: number, ended: Parameters<typeof factOfActivity>[2]): void {
    this.inbox.put('result', (at) => factOfActivity(id, at, ended), order);
    this.running--;
    if (this.running === 0 && this.inScope >= mostInScope) this.renewScope();
  }

  /** Told to stop once it has begun: a cancel that comes before leaves no event of what became of it. */
  private startChild({ chainId, input }: ChildStart): void {
    const order = this.scheduled++;
    const scope = this.newScope();
    const started = scope.run(() =>
      startChild(workflowType, {
        ...childOptions(chainId, input, this.shown),
        args: [withSensitive(input, this.shown.hidden())],
      }),
    );
    const stop = () => void started.then(() => scope.cancel()).catch(() => {});
    this.toStop.add(stop);
    const end = (ended: ChildEnd) => {
      this.toStop.delete(stop);
      this.inbox.put('result', (at) => factOfChild(chainId, at, ended), order);
    };
    void started
      .then((child) => child.result())
      .then(
        (result) => end(endOfResult(result)),
        (error: unknown) => end(endOfFailure(error)),
      );
  }

  /** Not told to stop: it is how a chain that comes to its end knows what was used. */
  private readChild({ chainId, sees, maxTokens }: ChildToRead): void {
    const input: ReadChildInput = { chainId, story: sees === 'chain', maxTokens };
    this.start(readActivityId(chainId), activityNames.readChild, input, readChildOptions(chainId), this.parent);
  }

  /** Each activity leaves a reaction on its scope, arguments and all: only a cancelled scope lets go of them. */
  private renewScope(): void {
    this.scope.cancel();
    this.scope = this.newScope();
    this.inScope = 0;
  }

  private newScope(): CancellationScope {
    return new CancellationScope({ cancellable: true, parent: this.parent });
  }

  private startTimer(state: State, action: Extract<Action, { type: 'startTimer' }>): void {
    const order = this.scheduled++;
    const { timer } = action;
    void sleep(toTimeout(action.ms), { summary: timerSummary(state, action) }).then(() =>
      this.inbox.put('result', (at) => ({ type: 'timerFired', at, timer }), order),
    );
  }
}

function prepareInput(state: State): PrepareAgentInput {
  const { agent = '', model = null, limits = {} } = state.input ?? {};
  const steps = state.input?.lineage?.branch?.steps;
  const parent = parentOf(state);
  const begunBy = workflowInfo().parent;
  // Whoever writes a start by hand reads nobody's steps.
  const isBranch = steps !== undefined && begunBy !== undefined && begunBy.workflowId === parent?.chainId;
  if (!isBranch) return { agent, model, limits };
  return { agent, model, limits, branchOf: { chainId: begunBy.workflowId, runId: begunBy.runId, steps } };
}

function scoreInput(state: State, { tool, candidates }: Extract<Action, { type: 'score' }>): ScoreInput {
  return { agent: state.agent?.name ?? '', tool, candidates };
}

function callInput(state: State, action: Extract<Action, { type: 'callModel' }>): CallModelInput {
  return {
    agent: state.input?.agent ?? '',
    definition: state.agent?.digest ?? '',
    facts: state.facts,
    head: state.head,
    events: state.history.events,
    purpose: action.purpose,
    attempt: action.attempt,
    reservation: action.reservation,
    timeoutMs: action.timeoutMs,
    ...(action.purpose === 'first' ? { prepare: prepareInput(state) } : {}),
  };
}

function runInput(state: State, call: PendingCall): RunToolInput {
  return {
    agent: state.agent?.name ?? '',
    input: call.input,
    step: state.steps,
    maxObservationTokens: state.agent?.maxObservationTokens ?? defaults.maxObservationTokens,
    firstRunId: workflowInfo().firstExecutionRunId,
    retried: call.retried,
    ...(call.changedUnder === undefined ? {} : { changedUnder: call.changedUnder }),
  };
}
