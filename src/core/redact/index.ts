/** Finds and masks secrets and personal data. It knows no chain. */

export { findSecretKind } from './key-names.js';
export { createSecretMasker, noSecretMasker, type SecretMasker, shortestSecret } from './known-secrets.js';
export { countMarksWithin } from './labels.js';
export { maskUnknown, toSafeErrorMessage } from './mask-unknown.js';
export {
  type FieldPath,
  isValidPath,
  mergePolicies,
  type OptionalKind,
  optionalKinds,
  type PatternKind,
  patternKinds,
  type RedactionPolicy,
  toPathParts,
  type UserPattern,
} from './policy.js';
export { createRedactor, type Redactor } from './redactor.js';
export { findSensitiveTexts, hasShortSensitiveText, toPathTarget } from './sensitive-texts.js';
export {
  createValueMasker,
  longestSearched,
  maxSensitiveTexts,
  snippetLookahead,
  type ValueMasker,
} from './value-masker.js';
