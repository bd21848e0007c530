/**
 * The modules that all workflows of a worker share. The core and the contract keep no state (L3), so V8 loads and optimizes them
 * once instead of for each chain. A test finds a module that is missing here.
 */

export * as contract from '../contract/index.js';
export * as engine from '../core/engine/index.js';
// Only what workflows use of the view: all of it would enlarge the bundle.
export {
  createSnippetMasker,
  entryLines,
  formatCallWait,
  formatCode,
  formatInline,
  formatLengthWarning,
  formatList,
  formatOpenRequest,
  formatPlanShare,
  formatQuote,
  formatTaskList,
  formatWords,
  listCallWaits,
  listInheritedSensitiveTexts,
  markSensitiveSpans,
  PastCollector,
  toFailSafeMasker,
  toRemarkText,
  webUiSummaryLength,
} from '../core/view/index.js';
export * as requests from './web-ui/pending-requests.js';
export * as summaries from './web-ui/summaries.js';
