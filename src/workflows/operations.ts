/** Performs the actions of `decide`: starts activities and timers, and puts their results into the inbox. */

import { CancellationScope, scheduleActivity, sleep, startChild, workflowInfo } from '@temporalio/workflow';
import type {
  ArchiveInput,
  CallModelInput,
  PrepareAgentInput,
  ReadChildInput,
  RunToolInput,
  ScoreInput,
} from '../contract/activities.js';
import { toChildEndedFact, toChildEndFromFailure, toChildEndFromResult } from '../contract/child-end.js';
import { toActivityFact } from '../contract/facts.js';
import { toFailure } from '../contract/failure.js';
import { activityNames, archiveActivityId, prepareActivityId, workflowType } from '../contract/names.js';
import { toTimeout } from '../contract/temporal-limits.js';
import type { Action, ChildReadTarget, ChildStart } from '../core/model/action.js';
import { toReadActivityId, toScoreActivityId } from '../core/model/activity.js';
import { type CallCost, listCostParts } from '../core/model/call-cost.js';
import type { ChildEnd } from '../core/model/child.js';
import { defaults } from '../core/model/defaults.js';
import type { Requester, TimerName } from '../core/model/fact.js';
import { findParent } from '../core/model/lineage.js';
import type { ChainState, PendingCall } from '../core/model/state.js';
import { findCallCost } from '../core/state/call-payment.js';
import { isWorthCounting } from '../core/state/conversation-size.js';
import { getRequester } from '../core/state/requester.js';
import { markSensitiveSpans } from '../core/view/ancestry.js';
import type { SnippetMasker } from '../core/view/snippet-masker.js';
import { hasSearchAttributes } from './search-attributes.js';
import type { TaskInbox } from './task-inbox.js';
import {
  createArchiveOptions,
  createCallModelOptions,
  createChildOptions,
  createPrepareOptions,
  createReadChildOptions,
  createScoreOptions,
  createToolOptions,
} from './temporal-options.js';
import { formatTimerSummary } from './web-ui/summaries.js';

type ScheduleOptions = Parameters<typeof scheduleActivity>[2];

/** Maximum activities per scope: a new scope costs about as much as an activity. */
const maxActivitiesPerScope = 64;

export class Operations {
  private scheduled = 0;
  private running = 0;
  private startedInScope = 0;
  private readonly parent = CancellationScope.current();
  /** Scope of running activities, until an interrupt. */
  private scope = this.newScope();
  /** Scopes of the timers that may be cancelled. */
  private readonly timerScopes = new Map<TimerName, CancellationScope>();
  /** Functions that cancel running sub-chains. */
  private readonly childStops = new Set<() => void>();

  constructor(
    private readonly inbox: TaskInbox,
    private readonly shown: SnippetMasker,
  ) {}

  perform(state: ChainState, action: Exclude<Action, { type: 'end' | 'continueAsNew' }>): void {
    switch (action.type) {
      case 'prepare':
        this.startActivity(
          prepareActivityId,
          activityNames.prepareAgent,
          toPrepareAgentInput(state),
          createPrepareOptions(state),
        );
        break;
      case 'callModel':
        this.startActivity(
          action.call,
          activityNames.callModel,
          toCallModelInput(state, action),
          createCallModelOptions(state, action),
        );
        break;
      case 'runCalls':
        for (const call of action.calls) {
          this.startActivity(
            call.id,
            call.tool,
            toRunToolInput(state, call),
            createToolOptions(state, call, this.shown),
          );
        }
        break;
      case 'startChildren':
        for (const start of action.starts) this.startChild(start);
        break;
      case 'readChildren':
        for (const child of action.children) this.readChild(child);
        break;
      case 'score':
        this.startActivity(
          toScoreActivityId(action.call),
          activityNames.score,
          toScoreInput(state, action),
          createScoreOptions(action),
        );
        break;
      case 'startTimer':
        this.startTimer(state, action);
        break;
      case 'cancelTimer':
        this.timerScopes.get(action.timer)?.cancel();
        break;
      case 'interrupt':
        this.interrupt();
        break;
      default:
        action satisfies never;
    }
  }

  /** Archives a run. Its result changes nothing here. */
  archive(runId: string): void {
    const input: ArchiveInput = { runId };
    const options = { ...createArchiveOptions(), activityId: archiveActivityId };
    void scheduleActivity<unknown>(activityNames.archive, [input], options).catch(() => {});
  }

  private startActivity(id: string, type: string, input: unknown, options: ScheduleOptions, scope = this.scope): void {
    const order = this.scheduled++;
    this.running++;
    this.startedInScope++;
    void scope
      .run(() => scheduleActivity<unknown>(type, [input], { ...options, activityId: id }))
      .then(
        (value) => this.endActivity(id, order, { ok: true, value }),
        (error: unknown) => this.endActivity(id, order, { ok: false, failure: toFailure(error) }),
      );
  }

  private endActivity(id: string, order: number, ended: Parameters<typeof toActivityFact>[2]): void {
    this.inbox.put('result', (at) => toActivityFact(id, at, ended), order);
    this.running--;
    if (this.running === 0 && this.startedInScope >= maxActivitiesPerScope) this.renewScope();
  }

  /** Starts a sub-chain. A cancel waits for its start: an earlier one would leave no event of its outcome. */
  private startChild({ chainId, input }: ChildStart): void {
    const order = this.scheduled++;
    const scope = this.newScope();
    const started = scope.run(() =>
      startChild(workflowType, {
        ...createChildOptions(chainId, input, this.shown),
        args: [markSensitiveSpans(input, this.shown.listHidden())],
      }),
    );
    const stop = () => void started.then(() => scope.cancel()).catch(() => {});
    this.childStops.add(stop);
    const end = (ended: ChildEnd) => {
      this.childStops.delete(stop);
      this.inbox.put('result', (at) => toChildEndedFact(chainId, at, ended), order);
    };
    void started
      .then((child) => child.result())
      .then(
        (result) => end(toChildEndFromResult(result)),
        (error: unknown) => end(toChildEndFromFailure(error)),
      );
  }

  /** Reads an ended sub-chain. Not interrupted: an ending chain still needs the usage. */
  private readChild({ chainId, sees, maxTokens }: ChildReadTarget): void {
    const input: ReadChildInput = { chainId, transcript: sees === 'chain', maxTokens };
    this.startActivity(
      toReadActivityId(chainId),
      activityNames.readChild,
      input,
      createReadChildOptions(chainId),
      this.parent,
    );
  }

  private interrupt(): void {
    this.renewScope();
    for (const stop of this.childStops) stop();
  }

  /**
   * Cancels the activities of the scope. Without running ones it only frees memory: each activity leaves a reaction with
   * its arguments on its scope, until the scope is cancelled.
   */
  private renewScope(): void {
    this.scope.cancel();
    this.scope = this.newScope();
    this.startedInScope = 0;
  }

  private newScope(): CancellationScope {
    return new CancellationScope({ cancellable: true, parent: this.parent });
  }

  private startTimer(state: ChainState, action: Extract<Action, { type: 'startTimer' }>): void {
    const order = this.scheduled++;
    const { timer } = action;
    const summary = formatTimerSummary(state, action);
    const scope = timer === 'retry' || timer === 'wait' ? this.newScope() : this.parent;
    this.timerScopes.set(timer, scope);
    void scope
      .run(() => sleep(toTimeout(action.ms), { summary }))
      .then(
        () => this.inbox.put('result', (at) => ({ type: 'timerFired', at, timer }), order),
        () => {},
      );
  }
}

function toPrepareAgentInput(state: ChainState): PrepareAgentInput {
  const { agent = '', model = null, limits = {} } = state.input ?? {};
  const steps = state.input?.lineage?.branch?.steps;
  const parent = findParent(state);
  const begunBy = workflowInfo().parent;
  // Only a real child workflow may read its parent's steps.
  const isBranch = steps !== undefined && begunBy !== undefined && begunBy.workflowId === parent?.chainId;
  const files = state.input?.files?.length ?? 0;
  const counts = isWorthCounting(state) ? { countTokens: true as const } : {};
  const added = { ...(files === 0 ? {} : { files }), ...counts, ...toMissingAttributes(state) };
  if (!isBranch) return { agent, model, limits, ...added };
  return { agent, model, limits, branchOf: { chainId: begunBy.workflowId, runId: begunBy.runId, steps } };
}

/** A sub-chain inherits what its parent knows. */
function toMissingAttributes({ input }: ChainState): Pick<PrepareAgentInput, 'searchAttributes'> {
  return input?.lineage !== undefined || hasSearchAttributes() ? {} : { searchAttributes: 'missing' };
}

function toScoreInput(state: ChainState, { tool, candidates }: Extract<Action, { type: 'score' }>): ScoreInput {
  return { agent: state.agent?.name ?? '', tool, candidates };
}

function toCallModelInput(state: ChainState, action: Extract<Action, { type: 'callModel' }>): CallModelInput {
  return {
    agent: state.input?.agent ?? '',
    snapshotDigest: state.agent?.digest ?? '',
    facts: state.facts,
    head: state.head,
    events: state.history.events,
    purpose: action.purpose,
    attempt: action.attempt,
    reservation: action.reservation,
    timeoutMs: action.timeoutMs,
    ...(action.purpose === 'first' ? { prepare: toPrepareAgentInput(state) } : {}),
  };
}

function toRunToolInput(state: ChainState, call: PendingCall): RunToolInput {
  return {
    agent: state.agent?.name ?? '',
    input: call.input,
    step: state.steps,
    maxObservationTokens: state.agent?.maxObservationTokens ?? defaults.maxObservationTokens,
    firstRunId: workflowInfo().firstExecutionRunId,
    retryApproved: call.retryApproved,
    ...(call.attempted ? { attempted: true } : {}),
    ...(call.unchecked ? { unchecked: true } : {}),
    ...(call.changedUnder === undefined ? {} : { changedUnder: call.changedUnder }),
    ...toRequesterPart(getRequester(state)),
    ...toSourcePart(state, call),
    ...toModelsPart(findCallCost(state.agent, call), call, state),
  };
}

function toSourcePart({ agent }: ChainState, call: PendingCall): Pick<RunToolInput, 'source'> {
  const source = agent?.tools.find(({ name }) => name === call.tool)?.source;
  return source === undefined ? {} : { source };
}

function toModelsPart(
  cost: CallCost | undefined,
  { input }: PendingCall,
  { dataClasses }: ChainState,
): Pick<RunToolInput, 'models' | 'dataClasses'> {
  if (cost === undefined) return {};
  return { models: listCostParts(cost, input), ...(dataClasses.length === 0 ? {} : { dataClasses }) };
}

/** L2: chains without a requester do not repeat that in each call. */
function toRequesterPart(requester: Requester): Pick<RunToolInput, 'requester'> {
  const { tenant, user, roles } = requester;
  return tenant === null && user === null && roles.length === 0 ? {} : { requester };
}
