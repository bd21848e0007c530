/** The turn: facts to the next state and its actions, by the rules of steps, plans, approvals and sub-chains. */

export { computeHead } from './advance.js';
export type { AgentAnswer, AgentResult, AgentType, TypedResult } from './agent-result.js';
export { applyReply } from './apply-reply.js';
export { findMissingApprovals, validateArguments } from './approvals/changed-arguments.js';
export { formatCallNotFound } from './approvals/command-rejection.js';
export { formatBreakpoint } from './approvals/pause.js';
export { readAnswer } from './approvals/question-answer.js';
export { createChildReport } from './child-report.js';
export {
  type Continuation,
  fromContinuation,
  isContinuation,
  type Paragraph,
  readPast,
  toContinuation,
  type WebUiDisplay,
} from './continue-as-new.js';
export { decide } from './decide.js';
export { normalizeAnswer } from './delegation/child-observation.js';
export { enforceLimits } from './enforce-limits.js';
export { checkFailureKind, isRejectedCall, providerFailures } from './failure-rules.js';
export { decideFirstCall } from './first-call.js';
export {
  type FoldedTurn,
  findTurnPrefix,
  foldChain,
  foldRecordedRuns,
  foldRecordedTurns,
  type TurnFoldResult,
  toOrigin,
} from './fold-turns.js';
export { maxTaskTextLength, normalizeTasks } from './plan/normalize-tasks.js';
export { maxShownGoal } from './plan/reused-plan.js';
export { compareGoals } from './plan/similar-goals.js';
export { updatePlan } from './plan/update-plan.js';
export { validatePlanTemplate, validateTasks } from './plan/validate-plan.js';
export { checkTimestamp, findOriginTurns, isRecordedTurn, type RecordedTurn } from './recorded-turn.js';
export { type ChainResult, toChainResult, toCloseResult, toEndTimes } from './result.js';
export { parseAnswerProblem, renderAnswerProblem } from './state/answer-problem.js';
export { reserve, settleCurrentReply } from './state/budget.js';
export { computeCommittedUse, computeTotalUse } from './state/budget-tree.js';
export { findCallCost, isUnpaid } from './state/call-payment.js';
export { type DelegatingCall, findDelegation, getChildAgent, listDelegatingCalls } from './state/children.js';
export {
  cannotComplete,
  controlTools,
  createFinishSchema,
  findControlTool,
  findFinishCall,
  findFinishTool,
  listControlTools,
  listControlViews,
  listFinishTools,
  readFinish,
  readFinishCall,
} from './state/control-tools.js';
export { isWorthCounting, selectEarlier, summaryHeadBytes, summaryLineLength } from './state/conversation-size.js';
export {
  formatDecision,
  formatMinute,
  formatRoleFlag,
  listDecisionCommands,
  listRequestRemarks,
} from './state/decision-text.js';
export { type ChainStatus, getChainStatus, listWaitingCalls, type WaitingCall } from './state/due-requests.js';
export { type CallResult, type ChainEntry, emptyRecord, recordEntries } from './state/entry.js';
export {
  computeWorkedMs,
  countCompleteSteps,
  endFlight,
  isOnlyWaiting,
  isOpen,
  isRequeued,
  listCalls,
} from './state/flight.js';
export { type ForeignCall, findForeignCall, needsCheck } from './state/foreign-call.js';
export { isFromOtherModel, listKnownTools } from './state/fork.js';
export { asksAtLimits, formatAnswerCommand, formatOffer } from './state/limit-question.js';
export { listLimitUsage } from './state/limit-usage.js';
export { listLocalStarts, mayPrepareLocally } from './state/local-calls.js';
export { formatPauseNotice, listNamedCauses, removeCauses } from './state/notice-text.js';
export { clipObservation, findCall, renderLabelledObservation, renderObservation } from './state/observation.js';
export { listOpenRequests, type OpenRequest } from './state/open-requests.js';
export { getNotesRequestBytes, renderEnding, renderWholeCall } from './state/request-bound.js';
export { combineAllRules, createRequestRules, toRisk } from './state/request-rules.js';
export { getRequester, isPermitted, noRequester } from './state/requester.js';
export {
  describeMissing,
  findHolder,
  findRetryWait,
  formatHolder,
  formatRetryWait,
  getFailureHolder,
  getWaitCause,
  getWaitHolder,
  type Holder,
  holders,
  type RetryWait,
  type WaitCause,
} from './state/retry-wait.js';
export { describeRoute, findModel, getCallPrice, selectModel } from './state/route.js';
export { formatProvider, listRouteTexts } from './state/route-text.js';
export { createCall, createStep } from './state/step.js';
export { computeLastStep, findCurrentStep, formatStepProgress, type StepProgress } from './state/step-progress.js';
export { awaitedPhrases, describeFlight } from './state/stop.js';
export { hasOnlyWaits, listOpenWaits, type OpenWait } from './state/waits.js';
export { takeTurn } from './turn.js';
export { validateCancel, validateCommand } from './validate-command.js';
export { computeEndEventId, createEndEvent, findWaitTimes, listWaitEvents, type WaitTimes } from './webhook-events.js';
