/** The view of a chain for a viewer, and its lines as text and Markdown. */

export { formatActions } from './action-text.js';
export { findAncestry, findVisibilityLineage, listInheritedSensitiveTexts, markSensitiveSpans } from './ancestry.js';
export { addArgumentSources, findArgumentSources } from './argument-sources.js';
export { buildReasoning, emptyReasoningContext, toReasoning, toToolViews } from './build-reasoning.js';
export { type CallWaitView, formatCallWait, listCallWaits } from './call-waits.js';
export { createChainMasker, listSensitivePaths, type ToolRef } from './chain-masker.js';
export { type ChildStatus, isVisibleTo, listChildUpdates, type ParentCall } from './child-status.js';
export { collectEarlier } from './collect-earlier.js';
export type { CombinedResults } from './combined-results.js';
export {
  type ContentBlock,
  type DiffBlock,
  type DiffRow,
  diffSigns,
  type TableBlock,
  type TableColumn,
  toContentBlock,
} from './content-block.js';
export { type Explanation, explain } from './explain.js';
export { splitFindings } from './findings.js';
export { createLiveView, type LiveViewUpdate } from './live-view.js';
export { formatLengthWarning } from './long-chain.js';
export { PastCollector } from './past-collector.js';
export { allPreferencesOn, type Preferences } from './preferences.js';
export { sumCharges } from './print/charge-lines.js';
export { formatChildLine } from './print/child-lines.js';
export * as entryLines from './print/entry-lines.js';
export { findFailurePoint, findMissingStep } from './print/failure-point.js';
export { groupSteps, type StepGroup, toCallId } from './print/groups.js';
export {
  countSteps,
  describeWaiting,
  findWaitsFor,
  formatAboutLines,
  formatEndLines,
  formatHeadLines,
  formatRunHeadLines,
  type WaitsFor,
} from './print/head-lines.js';
export { formatInterimLine, formatInterimText } from './print/interim-lines.js';
export { formatItemLines, listCombinationRemarks, whySources } from './print/item-lines.js';
export {
  createBareLine,
  createLeaf,
  createLine,
  createNamedLabel,
  createSignLabel,
  type Line,
  type LineLabel,
  type LineTree,
  type Remark,
  type Style,
  taskStyles,
  toRemarkText,
} from './print/line.js';
export {
  formatCode,
  formatFence,
  formatInline,
  formatList,
  formatQuote,
  formatTable,
  formatWords,
} from './print/markdown.js';
export { formatOpenRequest, type RequestLine, type RequestPart, type RequestText } from './print/open-request-lines.js';
export { formatPlanLines, formatTaskLines } from './print/plan-lines.js';
export { formatMarkdownReport } from './print/report.js';
export {
  formatRecordedItem,
  formatStepLine,
  formatStepTrees,
  listInterims,
} from './print/step-lines.js';
export { formatTraceHead, formatTraceTrees } from './print/trace-lines.js';
export type {
  AncestorCall,
  Ancestry,
  ApprovalStatus,
  ApprovalStep,
  ModelCallStats,
  NoticeStep,
  Reasoning,
  ReasoningState,
  ReasoningStatus,
  ReasoningStep,
  Spending,
  StepKind,
  SubChain,
  SubChainState,
  SynthesisStep,
  ThinkingStep,
  ToolCallStep,
  ToolResultStep,
} from './reasoning.js';
export { type ReasoningEvent, type ReasoningEventStep, toReasoningEvent } from './reasoning-event.js';
export {
  type ChildChain,
  type ChildSummary,
  type ChildView,
  type EarlierView,
  type FullStep,
  type HiddenStep,
  listNewestReasons,
  type PlanView,
  type ReasoningView,
  type StepReason,
  type StepView,
  type SummaryStep,
  toSearchText,
} from './reasoning-view.js';
export { type RequestView, restoreInput, viewRequest } from './request-view.js';
export { restorePast } from './restore-past.js';
export { createSnippetMasker, type SnippetMasker, toFailSafeMasker, webUiSummaryLength } from './snippet-masker.js';
export type { ResultSource } from './sources.js';
export { findRangeProblem, isInRange, type StepRange, selectSteps, takeNewest } from './step-range.js';
export {
  formatChainSpending,
  formatSubChainCount,
  formatSubChainState,
  type SubChainProgress,
  sumSpending,
  toSubChainProgress,
} from './sub-chain.js';
export { toSummaryLine, validateTemplate } from './summary-text.js';
export {
  computePlanPercent,
  formatPlanShare,
  formatTaskIndent,
  formatTaskList,
  type PlacedTask,
  placeTasks,
} from './task-tree.js';
export { toExample } from './to-example.js';
export { canReadTokens, createTokenFilter } from './token-filter.js';
export { buildTrace, type Trace, type TraceAction, type TraceObservation, type TraceStep } from './trace.js';
export { validateVisibility } from './validate-visibility.js';
export { view } from './view.js';
export type { InterimView } from './view-interim.js';
export { viewPrompt } from './view-prompt.js';
export { computeViewReach, type RestoredChain, type ViewReach, type ViewRules } from './view-reach.js';
export {
  buildRedactionPolicy,
  createViewer,
  type LevelKind,
  type RoleLevels,
  type SecurityRule,
  type StepLevels,
  type ToolRule,
  type Viewer,
  type ViewScene,
  type VisibilityConfig,
} from './visibility.js';
export { canReadInternals, canSeeAll } from './visibility-level.js';
export type { Why, WhySource } from './why.js';
