/** Values and text: JSON, digests, sizes, clipping, and the vocabulary of checks. It knows no chain. */

export { countJsonBytes, countTextBytes, estimateTextTokens, measureJson } from './byte-size.js';
export * as check from './check.js';
export { toTextOrNull } from './check.js';
export { clipJson, clipText, formatOmission } from './clip.js';
export { formatCsvLine } from './csv.js';
export { cutDeep, cutDeepInput, isTooDeepInput } from './cut-deep.js';
export {
  computeCallKey,
  computeDigest,
  computeFingerprint,
  computeFingerprints,
  computeIdempotencyKey,
  type Sha256,
  type TextFingerprints,
} from './digest.js';
export {
  formatArguments,
  formatBytes,
  formatCacheAge,
  formatCall,
  formatCount,
  formatDuration,
  formatExactDuration,
  formatExactUsd,
  formatLongDuration,
  formatMaxCost,
  formatPlural,
  formatTally,
  formatTime,
  formatToolName,
  formatTotalUsd,
  formatUnreportedUsage,
  formatUsd,
  maskAddress,
  shorten,
  shortenToBytes,
  toIsoTime,
} from './display.js';
export { findErrorName, findStatedName } from './error-name.js';
export { listStackLines, type StackOptions } from './error-stack.js';
export { type ErrorCode, errorCodes, getErrorCode, isLonghandError, LonghandError, toErrorMessage } from './errors.js';
export { detectMediaType, type PixelSize, readPixelSize } from './file-info.js';
export { frameIfNeeded, frameText, renderLabelledText } from './frame-text.js';
export {
  countCharacters,
  countUtf8Bytes,
  findOwn,
  isObject,
  isTooDeep,
  type Json,
  type JsonObject,
  omitNulls,
  omitUndefined,
  parseJson,
  parseJsonOrText,
  toCanonicalJson,
  toList,
  toValueText,
  toWellFormed,
} from './json.js';
export { dereference, findAtPointer, splitPointer } from './json-pointer.js';
export { createJsonValidator, type JsonValidator } from './json-schema.js';
export { loadOnce } from './load-once.js';
export { isLoopbackAddress, isLoopbackHost, isLoopbackName, isLoopbackOrigin } from './loopback.js';
export { formatFailure, readFirstObject, readLooseJson, readLooseValues } from './loose-json.js';
export { isQuote } from './loose-text.js';
export { mapJson, type ValuePlace } from './map-json.js';
export { countEdits, findNearest, sortByNearness } from './nearest.js';
export { countUnpackedBytes, maxUnpackedBytes, pack, unpack } from './pack.js';
export { countPdfPages } from './pdf-pages.js';
export {
  removeInvisible,
  showAddresses,
  showInvisible,
  toOneLine,
  toPlainJson,
  toPlainText,
  toWords,
} from './plain-text.js';
export { hasPrivatePart, maskPrivateParts, removePrivateParts } from './private-parts.js';
export { projectFolderName } from './project-folder.js';
export { createResources, type Resources } from './resources.js';
export { parseAmount, parseRetryAfter } from './retry-after.js';
export { compareArguments, toComparedText } from './similarity.js';
export { removeNulls, toStrictSchema } from './strict-schema.js';
export { hasDigit, listWords } from './words.js';
