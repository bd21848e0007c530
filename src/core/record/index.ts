/** Chain files: export, verify, replay, compare. */

export { type ChainCosts, type CostLine, computeCosts } from './chain-costs.js';
export {
  type ChainFile,
  type ChainFileTurn,
  type ChainRun,
  type CloseStatus,
  chainFormat,
  chainVersion,
  findDefinition,
  type ModelCallHead,
  type ResetPoint,
  sealChainFile,
} from './chain-file.js';
export { type ChainListItem, type ChainListItemSource, toChainListItem } from './chain-list-item.js';
export { computeClosedResult, toRecordedResult } from './closed-result.js';
export { type ContextOutline, outlineContext } from './context-outline.js';
export {
  buildChainReport,
  buildModelReport,
  buildToolReport,
  type ChainFigures,
  type ChainGrouping,
  type ChargeFigures,
  type CostGroup,
  type CostGrouping,
  type CostPeriod,
  type CostReport,
  costGroupings,
  costPeriods,
  createEmptyReport,
  type DailyFigures,
  type ModelFigures,
  type ToolFigures,
} from './cost-report.js';
export { InvalidChainFileError } from './invalid-chain-file-error.js';
export { ItemNumbers } from './item-numbers.js';
export { findPrompt, listPrompts, type PromptVerification, verifyPrompts } from './prompts.js';
export { readChainFile } from './read-chain-file.js';
export {
  checkUnaltered,
  formatError,
  fromChainFile,
  joinRuns,
  parseFileJson,
  parseFormat,
  type RecordedChain,
  readOrReject,
} from './recorded-chain.js';
export {
  type ChainReplay,
  type ReplayDifference,
  replayChain,
  type SubstituteResult,
  type ToolSubstitute,
} from './replay.js';
export { countToolUse, type ToolUse } from './tool-use.js';
export { type Divergence, type FileVerification, formatDivergence, verifyFile } from './verify-file.js';
