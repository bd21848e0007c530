/** Audit entries, their hash chain, its proof, and reports. */

export { type Anchor, formatAnchor, parseAnchors } from './anchor.js';
export { type AuditedRun, computeAuditDrafts } from './audit-drafts.js';
export { formatCsvHeader, formatCsvRow } from './csv.js';
export {
  type Actor,
  type AuditContent,
  type AuditDraft,
  type AuditEntry,
  type AuditedBudget,
  type AuditedKey,
  type AuditType,
  auditTypes,
  type ContentPart,
  type EntryWithContents,
  type ErasureScope,
  type ExternalAuditEvent,
} from './entry.js';
export { type AuditFinding, formatFinding } from './finding.js';
export {
  formatHead,
  formatLogName,
  type LogHead,
  type LogName,
  parseHead,
  parseLogKey,
  type SignedHead,
  toLogKey,
} from './head.js';
export { formatExportLine, omitEntry } from './line.js';
export {
  auditFormat,
  auditVersion,
  contentsFile,
  entriesFile,
  type FileDigest,
  type LogSpan,
  type Manifest,
  manifestFile,
  promptsFile,
  recipeFile,
  signatureFile,
} from './manifest.js';
export { type AuditPolicy, checkAuditPolicy } from './policy.js';
export { formatRecipe } from './recipe.js';
export { formatAuditReport } from './report.js';
export {
  type ContentRow,
  computeBodyDigest,
  computeEntryHash,
  emptyHash,
  emptyLog,
  type LogEnd,
  sealEntry,
} from './seal.js';
export { type LogVerification, type SignatureCheck, verifyLogs } from './verify.js';
export { isHeadInExport, verifyExport } from './verify-export.js';
export type { PromptsVerification } from './verify-prompts.js';
