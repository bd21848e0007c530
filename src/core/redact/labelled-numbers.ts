/**
 * Finds numbers of persons and their banks, dates of birth, and keys without a form: only after a label, and with valid
 * check digits where the number has them.
 */

import {
  createWeightedCheck,
  isBrazilianId,
  isChineseId,
  isFrenchId,
  isGermanTaxId,
  isSpanishId,
  isValidLuhn,
  isValidVerhoeff,
} from './check-digits.js';
import { type Finder, type Finding, selectOutermost } from './finding.js';
import { services } from './key-names.js';
import type { OptionalKind } from './policy.js';

interface NumberForm {
  readonly kind: OptionalKind;
  readonly label: string;
  readonly value: string;
  /** Checks a value without its separators. */
  readonly isValid?: (value: string) => boolean;
}

const digits = (count: number) => String.raw`\d(?:[ .-]?\d){${count - 1}}`;
const month = String.raw`\p{L}{3,9}\.?`;
const date = String.raw`\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.] ?\d{1,2}[-/.] ?(?:\d{4}|\d\d)|\d{1,2}(?:st|nd|rd|th|\.)? ${month},? \d{4}|${month} \d{1,2}(?:st|nd|rd|th)?,? \d{4}|(?:19|20)\d{6}`;
const hex32 = '[0-9a-f]{32}';
const upper = (least: number) => (value: string) => !/[a-z]/.test(value) && value.replace(/\D/g, '').length >= least;

const forms: readonly NumberForm[] = [
  { kind: 'national-id', label: 'nino|ni|national[ _-]?insurance', value: '[A-Z]{2} ?\\d\\d ?\\d\\d ?\\d\\d ?[A-D]' },
  {
    kind: 'national-id',
    label: 'steuer[ _-]?id(?:entifikationsnummer|nr)?|steuerliche identifikationsnummer|idnr|tin',
    value: digits(11),
    isValid: isGermanTaxId,
  },
  { kind: 'national-id', label: 'dni|nif|nie', value: '[XYZ]?-?\\d{7,8}-?[A-Z]', isValid: isSpanishId },
  {
    kind: 'national-id',
    label: 'codice[ _-]?fiscale|fiscal[ _-]?code|c\\.?f\\.?',
    value: '[A-Z]{6}\\d\\d[A-Z]\\d\\d[A-Z]\\d{3}[A-Z]',
  },
  {
    kind: 'national-id',
    label: 'bsn|burgerservicenummer|sofinummer',
    value: digits(9),
    isValid: createWeightedCheck([9, 8, 7, 6, 5, 4, 3, 2, -1], 11),
  },
  {
    kind: 'national-id',
    label: 'pesel',
    value: digits(11),
    isValid: createWeightedCheck([1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1], 10),
  },
  { kind: 'national-id', label: 'cpf', value: digits(11), isValid: isBrazilianId },
  { kind: 'national-id', label: 'aadhaa?r|uidai', value: digits(12), isValid: isValidVerhoeff },
  { kind: 'national-id', label: 'sin|social[ _-]?insurance', value: digits(9), isValid: isValidLuhn },
  {
    kind: 'national-id',
    label: 'personnummer|personal[ _-]?identity',
    value: '(?:\\d\\d)?\\d{6}[-+]?\\d{4}',
    isValid: (value) => isValidLuhn(value.slice(-10)),
  },
  {
    kind: 'national-id',
    label: 'nir|insee|(?:numéro de )?(?:sécurité sociale|sécu)',
    value: digits(15),
    isValid: isFrenchId,
  },
  {
    kind: 'national-id',
    label: '身份证(?:号码?)?|resident[ _-]?identity(?:[ _-]?card)?',
    value: '\\d{17}[\\dX]',
    isValid: isChineseId,
  },
  {
    kind: 'national-id',
    label: 'tfn|tax[ _-]?file',
    value: digits(9),
    isValid: createWeightedCheck([1, 4, 3, 7, 5, 8, 6, 9, 10], 11),
  },
  {
    kind: 'national-id',
    label: 'avs|ahv|oasi',
    value: digits(13),
    isValid: createWeightedCheck([1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1], 10),
  },
  { kind: 'national-id', label: 'passport', value: '[A-Z0-9]{6,9}', isValid: upper(4) },
  {
    kind: 'national-id',
    label: "driv(?:ing|er|er['’]?s)[ _-]?licen[cs]e",
    value: '[A-Z0-9-]{6,18}',
    isValid: upper(4),
  },
  {
    kind: 'national-id',
    label: 'national[ _-]?id(?:entity)?(?:[ _-]?card)?|id(?:entity)?[ _-]?card|personalausweis',
    value: '[A-Z0-9-]{6,14}',
    isValid: upper(4),
  },
  {
    kind: 'birth-date',
    label:
      'dob|d\\.o\\.b\\.?|date[ _-]?of[ _-]?birth|birth[ _-]?da(?:te|y)|born(?: on)?|geboren(?: am)?|geburts(?:datum|tag)|geb\\.|née? le|date de naissance|fecha de nacimiento|data di nascita|nat[oa] il|geboortedatum',
    value: date,
  },
  {
    kind: 'bank-number',
    label: 'routing|aba|rtn|routing[ _-]?transit',
    value: digits(9),
    isValid: createWeightedCheck([3, 7, 1, 3, 7, 1, 3, 7, 1], 10),
  },
  { kind: 'bank-number', label: 'sort[ _-]?code', value: '\\d\\d[- ]?\\d\\d[- ]?\\d\\d' },
  { kind: 'bank-number', label: 'blz|bankleitzahl', value: digits(8) },
  {
    kind: 'bank-number',
    label: '(?:bank[ _-]?)?(?:account|acct)[ _-]?(?:number|num|no|nr)|kontonummer|konto-?nr',
    value: '\\d(?:[ -]?\\d){5,16}',
  },
  {
    kind: 'wallet-key',
    label: '(?:private|wallet|eth(?:ereum)?|metamask|signer|deployer)[ _-]?(?:private[ _-]?)?key(?:[ _-]?hex)?',
    value: '(?:0x)?[0-9a-f]{64}',
  },
  {
    kind: 'hex-key',
    label: `(?:(?:api|app|access|secret|auth|account|x|function|license|service|client|the|my|your)[ _-]?|(?<!\\p{L}[ _-]?))key[12]?(?: (?:you|we|i) \\w{2,10})?|app[ _-]?id|subscription(?: \\d)?|${[...services].join('|')}`,
    value: hex32,
  },
];

/** Between a label and its value, also in JSON and in code. */
const between = String.raw`(?:[ _-]?(?:number|num|no|nr|code|#)\b\.?)?(?:\\{0,8}["'])?(?:\s{0,3}[:=#]{1,2}\s{0,3}|\s(?:is|was|ist|est|es|è):?\s|\s)(?:\\{0,8}["'])?`;

/** Returns the finder of one kind of numbers. */
export function createLabelledNumberFinder(kind: OptionalKind): Finder {
  const ofKind = forms
    .filter((form) => form.kind === kind)
    .map((form) => ({
      ...form,
      pattern: new RegExp(
        String.raw`(?<![\p{L}\d])(?:${form.label})${between}(?<it>${form.value})(?![\p{L}\d])(?![-./]\d)`,
        'dgiu',
      ),
      field: new RegExp(`(?:^|[^a-z])(?:${form.label})(?:[ _-]?(?:number|num|no|nr|id|code))?$`, 'i'),
      whole: new RegExp(String.raw`^\s*(?<it>${form.value})\s*$`, 'diu'),
    }));
  return (text, scope) => {
    const name = scope.field.slice(0, 80).replace(/(?<=[a-z])(?=[A-Z])/g, '_');
    const findings: Finding[] = [];
    for (const { pattern, field, whole, isValid = () => true } of ofKind) {
      const wholeMatch = name !== '' && text.length < 60 && field.test(name) ? whole.exec(text) : null;
      for (const match of wholeMatch === null ? text.matchAll(pattern) : [wholeMatch]) {
        const [start, end] = match.indices?.groups?.it ?? [0, 0];
        if (isValid(text.slice(start, end).replace(/[ .-]/g, ''))) findings.push({ start, end, kind });
      }
    }
    return selectOutermost(findings);
  };
}
