/** Performs the actions of `decide`: starts activities and timers, and puts their results into the inbox. */

import {
  CancellationScope,
  type ChildWorkflowOptions,
  type LocalActivityOptions,
  scheduleActivity,
  scheduleLocalActivity,
  sleep,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type ActivityResult,
  type ArchiveInput,
  activityNames,
  archiveActivityId,
  type CallModelInput,
  type ChildClose,
  callWorkflowType,
  type PrepareAgentInput,
  type ReadChildInput,
  type RunToolInput,
  type ScoreInput,
  toActivityFact,
  toChildCloseFromError,
  toChildFact,
  toFailure,
  toLocalCallFact,
  toTimeout,
  unwrapFailure,
  workflowType,
} from '../contract/index.js';
import {
  type ForeignCall,
  findCallCost,
  findForeignCall,
  getRequester,
  isUnpaid,
  isWorthCounting,
  needsCheck,
} from '../core/engine/index.js';
import { computeIdempotencyKey, omitUndefined } from '../core/lib/index.js';
import {
  type Action,
  type CallCost,
  type ChainInput,
  type ChainState,
  type ChildReadTarget,
  type ChildStart,
  defaults,
  type ForeignCallContext,
  findParent,
  listCostParts,
  type PendingCall,
  prepareActivityId,
  type Requester,
  type TimerName,
  toCallWorkflowId,
  toCheckActivityId,
  toForeignActivityId,
  toReadActivityId,
  toRunArguments,
  toScoreActivityId,
} from '../core/model/index.js';
import { markSensitiveSpans, type SnippetMasker } from '../core/view/index.js';
import type { CallActivityInput } from './call-activity.js';
import { hasSearchAttributes } from './search-attributes.js';
import type { TaskInbox } from './task-inbox.js';
import {
  createArchiveOptions,
  createCallModelOptions,
  createCallWorkflowOptions,
  createCheckOptions,
  createChildOptions,
  createForeignActivityOptions,
  createLocalCallOptions,
  createLocalPrepareOptions,
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
    private readonly masker: SnippetMasker,
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
        if (action.local) this.startLocalCalls(state, action.calls);
        else for (const call of action.calls) this.startCall(state, call);
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

  /** Prepares the agent before the first turn, which gets the result. */
  prepareLocally(input: ChainInput): void {
    this.inbox.beginLocalCalls(1);
    const prepareInput = toPrepareAgentInput({ input });
    this.startLocal(prepareActivityId, activityNames.prepareAgent, prepareInput, createLocalPrepareOptions(input));
  }

  /** Archives a run. Its result changes nothing here. */
  archive(runId: string): void {
    const input: ArchiveInput = { runId };
    const options = { ...createArchiveOptions(), activityId: archiveActivityId };
    void scheduleActivity<unknown>(activityNames.archive, [input], options).catch(() => {});
  }

  private startActivity(id: string, type: string, input: unknown, options: ScheduleOptions, scope = this.scope): void {
    this.startActivityWith(id, type, [input], options, scope);
  }

  private startActivityWith(
    id: string,
    type: string,
    args: unknown[],
    options: ScheduleOptions,
    scope = this.scope,
  ): void {
    const order = this.scheduled++;
    this.running++;
    this.startedInScope++;
    void scope
      .run(() => scheduleActivity<unknown>(type, args, { ...options, activityId: id }))
      .then(
        (value) => this.endActivity(id, order, { ok: true, value }),
        (error: unknown) => this.endActivity(id, order, { ok: false, failure: toFailure(unwrapFailure(error)) }),
      );
  }

  private endActivity(id: string, order: number, ended: Parameters<typeof toActivityFact>[2]): void {
    this.inbox.put('result', (at) => toActivityFact(id, at, ended), order);
    this.running--;
    if (this.running === 0 && this.startedInScope >= maxActivitiesPerScope) this.renewScope();
  }

  private startLocalCalls(state: ChainState, calls: readonly PendingCall[]): void {
    this.inbox.beginLocalCalls(calls.length);
    for (const call of calls) {
      const input: RunToolInput = { ...toRunToolInput(state, call), call: call.id };
      this.startLocal(call.id, call.tool, input, createLocalCallOptions(state, call, this.masker));
    }
  }

  private startLocal(id: string, type: string, input: unknown, options: LocalActivityOptions): void {
    const order = this.scheduled++;
    const end = (ended: ActivityResult) => this.inbox.putLocalResult((at) => toLocalCallFact(id, at, ended), order);
    void this.parent
      .run(() => scheduleLocalActivity<unknown>(type, [input], options))
      .then(
        (value) => end({ ok: true, value }),
        (error: unknown) => end({ ok: false, failure: toFailure(unwrapFailure(error)) }),
      );
  }

  private startCall(state: ChainState, call: PendingCall): void {
    const foreign = findForeignCall(state, call);
    const input = toRunToolInput(state, call);
    if (foreign === null) {
      this.startActivity(call.id, call.tool, input, createToolOptions(state, call, this.masker));
    } else if (needsCheck(call)) {
      const options = createCheckOptions(state, call, this.masker);
      this.startActivity(toCheckActivityId(call.id), call.tool, { ...input, check: call.effects }, options);
    } else {
      this.startForeignCall(state, call, foreign);
    }
  }

  private startForeignCall(state: ChainState, call: PendingCall, foreign: ForeignCall): void {
    const { run } = foreign;
    const args = toRunArguments(run, call.input, toForeignContext(state, call));
    const id = toCallWorkflowId(state.chainId, call.id, call.retries ?? 0);
    const own = createCallWorkflowOptions(state, call, foreign, this.masker);
    if (run.kind === 'workflow') {
      this.startWorkflow(id, run.workflow, { ...own, args });
      return;
    }
    const options = createForeignActivityOptions(state, call, foreign, this.masker);
    if (call.effects === 'unsafe') {
      const activity: CallActivityInput = { type: run.activity, args, options };
      this.startWorkflow(id, callWorkflowType, { ...own, args: [activity] });
    } else {
      this.startActivityWith(toForeignActivityId(call.id), run.activity, args, options);
    }
  }

  private startChild({ chainId, input }: ChildStart): void {
    this.startWorkflow(chainId, workflowType, {
      ...createChildOptions(chainId, input, this.masker),
      args: [markSensitiveSpans(input, this.masker.listHidden())],
    });
  }

  /** Starts a sub-chain or the workflow of a call. A cancel waits for its start: an earlier one would leave no event of its outcome. */
  private startWorkflow(id: string, type: string, options: ChildWorkflowOptions & { readonly args: unknown[] }): void {
    const order = this.scheduled++;
    const scope = this.newScope();
    const started = scope.run(() => startChild(type, { ...options, workflowId: id }));
    const stop = () => void started.then(() => scope.cancel()).catch(() => {});
    this.childStops.add(stop);
    const end = (close: ChildClose) => {
      this.childStops.delete(stop);
      this.inbox.put('result', (at) => toChildFact(id, at, close), order);
    };
    void started
      .then((child) => child.result())
      .then(
        (value) => end({ kind: 'returned', value }),
        (error: unknown) => end(toChildCloseFromError(error)),
      );
  }

  /** Reads an ended sub-chain. Not interrupted: an ending chain still needs the usage. */
  private readChild({ chainId, includesTranscript, maxTokens }: ChildReadTarget): void {
    const input: ReadChildInput = { chainId, transcript: includesTranscript, maxTokens };
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

function toPrepareAgentInput(state: Pick<ChainState, 'input'>): PrepareAgentInput {
  const { agent = '', model = null, limits = {} } = state.input ?? {};
  const steps = state.input?.lineage?.branch?.steps;
  const begunBy = workflowInfo().parent;
  // Only a real child workflow may read its parent's steps.
  const isBranch = steps !== undefined && begunBy !== undefined && begunBy.workflowId === findParent(state)?.chainId;
  const files = state.input?.files?.length ?? 0;
  const counts = isWorthCounting(state) ? { countTokens: true as const } : {};
  const added = { ...(files === 0 ? {} : { files }), ...counts, ...toMissingAttributes(state) };
  if (!isBranch) return { agent, model, limits, ...added };
  return { agent, model, limits, branchOf: { chainId: begunBy.workflowId, runId: begunBy.runId, steps } };
}

/** A sub-chain inherits what its parent knows. */
function toMissingAttributes({ input }: Pick<ChainState, 'input'>): Pick<PrepareAgentInput, 'searchAttributes'> {
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
    events: workflowInfo().historyLength,
    purpose: action.purpose,
    attempt: action.attempt,
    reservation: action.reservation,
    timeoutMs: action.timeoutMs,
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
    ...omitUndefined({ changedUnder: call.changedUnder, answers: call.answers }),
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
  call: PendingCall,
  { dataClasses }: ChainState,
): Pick<RunToolInput, 'models' | 'summary' | 'fee' | 'dataClasses'> {
  if (cost === undefined) return {};
  if (cost.kind === 'fee') return { fee: cost.usd };
  const parts = listCostParts(cost, call.input);
  const [part] = parts;
  const asked =
    cost.kind === 'summary' && part !== undefined
      ? { summary: { aboveTokens: cost.aboveTokens, part, ...(isUnpaid(call) ? { unpaid: true as const } : {}) } }
      : { models: parts };
  return { ...asked, ...(dataClasses.length === 0 ? {} : { dataClasses }) };
}

/** L2: chains without a requester do not repeat that in each call. */
function toRequesterPart(requester: Requester): Pick<RunToolInput, 'requester'> {
  const { tenant, user, roles } = requester;
  return tenant === null && user === null && roles.length === 0 ? {} : { requester };
}

function toForeignContext(state: ChainState, call: PendingCall): ForeignCallContext {
  const { tenant, user, roles } = getRequester(state);
  const idempotencyKey = computeIdempotencyKey(workflowInfo().firstExecutionRunId, call.id, call.key);
  return { idempotencyKey, chainId: state.chainId, call: call.id, step: state.steps, tenant, user, roles };
}
