/**
 * Decides whether the value after a secret's name is a secret.
 *
 * `password: hunter2` is, `password: string` and `password = getpass()` are not. Each test reads a bounded part: a value
 * longer than any word counts as a secret.
 */

import { blank } from './finding.js';
import { findSecretKind, type NameKind } from './key-names.js';

/**
 * How a value is written: `quoted`; `tight` (`name=value`); `loose` (`name: value`, `name = value`); `line`, the same
 * when the line has nothing else on it.
 */
export type ValueNotation = 'quoted' | 'tight' | 'loose' | 'line';

const words = new Set(
  (
    'string str text number int integer float bool boolean true false null none nil undefined nan required optional any ' +
    'yes no on off unknown missing invalid empty hidden masked redacted omitted secret value type object array list dict ' +
    'include omit same-origin bytes uint8array varchar char field input default disabled enabled set unset not n/a na tbd todo ' +
    'example placeholder password files compat systemd obligatoria obligatorio requerida requise obrigatória erforderlich'
  ).split(' '),
);
const stopWords =
  /(?:^|\s)(?:is|are|was|must|should|be|can|cannot|not|no|your|you|my|the|a|an|this|that|to|for|of|from|with|and|or|in|at|please|enter|required|invalid|incorrect|wrong|has|have|expired|forgot|reset|change|confirm|new|old|here)(?:[\s.,:!?]|$)/i;
const placeholder =
  /^(?:[x*.•\-_#?…]+|<.*|\{.*|\[.*|\$\{.*|\$\(.*|\$\$?[A-Z_]+\d?|\$[a-z_]+|%\w+%|%[sdv]|%\(.*|\((?:hidden|masked|redacted|omitted|none|empty|unset|not set|unchanged)\)|(?:your|insert|enter)[-_ ].*|change[-_]?me.*|x+(?:[-_]x+)*)$/i;
/** `my-password`, `some token`. A pass phrase may begin likewise, so the name of a thing must follow. */
const ownedPlaceholder =
  /^(?:my|some)[-_ ](?:.*(?<![a-z]))?(?:pass(?:words?|wd|phrase|code)?|pw|secrets?|tokens?|keys?|credentials?|values?|apis?|auth|here|names?|strings?|apps?|db|database|users?|account|admin|test|server|project|service|client)(?![a-z])/i;
/** Texts of forms, validators and documents in the place of a pass phrase. */
const message =
  /\b(?:pass(?:word|phrase|code)s?|passwor[dt]|user ?names?|credentials?|must|should|cannot|please|required?|requires|optional|invalid|incorrect|wrong|missing|expired?|forgot(?:ten)?|reset|confirm(?:ation)?|match(?:es)?|characters?|digits?|at least|minimum|maximum|too (?:short|long|weak)|not (?:set|shown|found|given|available)|(?:be|is) empty|blank|settings page|placeholder|example|strong|choose|deprecated|as above|contraseña|mot de passe)\b|^(?:see|ask|enter|type|use|stored|same|never|none|not|no longer) |^(?:is|are|was|of|for|from|to be (?:set|filled)) /i;
/** Words of sentences: a pass phrase without quotes contains none. */
const prose =
  /(?:^| )(?:the|an?|is|are|was|were|be|been|to|of|for|in|on|at|by|with|and|or|not|your?|our|their|this|that|these|it|its|as|from|if|when|how|what|who|which|will|can|may|might|has|have|had|do|does|only|also|than|then|so|via|per|i|we|they|he|she)(?: |$)/i;
const described =
  /\b(?:values?|text|string|fields?|types?|hash(?:ed)?|plain|supplied|changed|enabled|disabled|encrypted|managed|protected|based|use only)\b/i;

/** A secret that is already masked, or an example of its form: `sk-…abcd`, `sk-xxxxxxxx`. */
const masked = /^[\w-]{0,16}(?:\*{3,}|\.{3,}|…)[\w-]{0,8}$|x{6}$/i;

/** Words that continue a sentence about a command, in the place of its secret. */
const common =
  /^(?:options?|flags?|arguments?|parameters?|and|or|is|are|to|in|as|for|with|from|via|can|cannot|must|may|if|when|instead|values?|was|has|were|will|should|not|the|of|on)$/i;

export function isCommonWord(value: string): boolean {
  return words.has(value.toLowerCase()) || common.test(value);
}

/** Returns whether a value is a placeholder, a variable or a masked secret. */
export function isPlaceholder(value: string): boolean {
  return value.length <= 100 && (placeholder.test(value) || masked.test(value) || ownedPlaceholder.test(value));
}

export function isSecretValue(text: string, valueNotation: ValueNotation, name: NameKind): boolean {
  // The result must not depend on the length of a mark.
  const value = text.replace(/\uFFFF+/g, blank);
  if (value === '' || value.startsWith(blank) || value.trim() === '') return false;
  if (value.length > 200) return true;
  if (isPlaceholder(value)) return false;
  if (name.given) return true;
  if (name.encoded) return isBasicLogin(value) || (/^[\w+/=-]{16,}$/.test(value) && isMixed(value));
  if ((name.kind === 'token' || name.kind === 'api-key') && isNameOrAddress(value)) return false;
  if (name.bare && !isLikelySecret(value, name) && !(valueNotation === 'quoted' && isShortMixed(value, name)))
    return false;
  // No key is a short word: `apiKey: 'test'`.
  if (valueNotation === 'quoted' && name.kind !== 'password' && /^[a-z]{1,7}$/.test(value)) return false;
  if (valueNotation === 'quoted' && name.kind === 'password' && isPhrase(value)) return !isMessage(value);
  // The quote may have ended a text: `input("Password: ")`, `"password: " + it`.
  if (valueNotation === 'quoted') return !isLabel(value) && !/^\s*[),;+\]}]|^[^\p{L}\p{N}]+$/u.test(value);
  return !words.has(value.toLowerCase()) && !isCode(value) && isBareSecret(value, valueNotation, name);
}

/** Returns whether a value is a name or a URL: `grant: "refresh_token"`, `private_key: "_RSAPrivateKey"`. */
function isNameOrAddress(value: string): boolean {
  if (/^(?:https?:\/\/|urn:|pk_(?:live|test)_)/.test(value)) return true;
  return /^(?=.{0,99}[A-Z_.])[A-Za-z_.]+$/.test(value) && value.length <= 100 && findSecretKind(value) !== null;
}

/** Returns whether a value is a text about a secret, as in a form, a schema or a message. */
function isLabel(value: string): boolean {
  if (/\s/.test(value)) return stopWords.test(value) || findSecretKind(value) !== null;
  const lower = value.toLowerCase();
  return (words.has(lower) && lower !== 'password') || (/^[A-Z][a-z]+$/.test(value) && findSecretKind(value) !== null);
}

const someWords = /^(?:\\{0,4}["'])?[\p{L}\p{N}][^\n]*\s[^\n]*[\p{L}\p{N}!?$#*.]$/u;

/** Returns whether a quoted value has several words: a pass phrase, unless it is a message. */
function isPhrase(value: string): boolean {
  return /\s/.test(value) && (someWords.test(value) || value.includes('\n'));
}

function isMessage(value: string): boolean {
  return message.test(value) || findSecretKind(value) !== null;
}

/** Returns whether unquoted words, alone in their line, are a pass phrase and not a sentence. */
export function isLinePhrase(phrase: string, amongSettings: boolean): boolean {
  if (/[.?!,]$/.test(phrase) || isPlaceholder(phrase) || described.test(phrase) || isMessage(phrase)) return false;
  return amongSettings || !prose.test(phrase);
}

/** Returns whether four or more words at the end of a sentence are a pass phrase. */
export function isSpokenPhrase(phrase: string): boolean {
  if (prose.test(phrase) || described.test(phrase) || isMessage(phrase)) return false;
  return !/^[a-z]+(?:ed|ing|able|ive|less|too|very|now|still|here|there)(?![a-z])/i.test(phrase);
}

/** A call, a member, a variable. */
function isCode(value: string): boolean {
  if (/\(|\[|^[{<]|^(?:process|os|env|self|this|req|request|config|settings|ctx|args)\./.test(value)) return true;
  if (/^[A-Za-z_$][A-Za-z_]*(?:\??\.[A-Za-z_$][\w$]*)+$/.test(value)) return true;
  const parts = value.split(/_|(?<=[a-z])(?=[A-Z])/);
  const isName = parts.every((part) => /^(?:[A-Za-z]*|[A-Z]?[a-z]+\d|\d{1,2})$/.test(part));
  if (!isName) return false;
  return findSecretKind(value.replace(/\d$/, '')) !== null || (parts.length > 1 && /^[A-Za-z_]/.test(value));
}

/** Names that code and schemas give by the dozen: `password: field2`. */
export const numberedName =
  /^(?:arg|param|value|field|var|string|input|item|option|column|col|row|line|version|type|level|step)\d$/i;

function isBareSecret(value: string, valueNotation: ValueNotation, name: NameKind): boolean {
  const { kind } = name;
  const digits = /^-?\d[\d.,]*(?:[eE][+-]?\d+)?$/.test(value);
  if (name.short) return /^\d{3,4}$/.test(value);
  if (digits) return value.length >= (kind === 'password' ? 4 : 16);
  if (valueNotation === 'tight' && kind === 'password') return value.length >= 3;
  if (valueNotation === 'tight') return value.length >= 6 || (value.length >= 4 && /\d/.test(value));
  if (value.replace(technical, '') === '') return false;
  if (isStrong(value) || (kind === 'password' && isMixed(value) && !numberedName.test(value))) return true;
  return valueNotation === 'line' && kind === 'password' && /^[\w!@#$%^&*+~?.-]{4,}$/.test(value);
}

/** Letters among digits or signs: no word. */
export function isStrong(value: string): boolean {
  if (value.length < 6 || !/[A-Za-z]/.test(value)) return false;
  // Words with dashes, dates and ordinals in prose.
  if (/^[A-Za-z]+(?:[-/'][A-Za-z]+)+$|^\d+(?:st|nd|rd|th|px|ms|kb|mb|gb|%)$/i.test(value)) return false;
  return (
    /\d|[!@#$%^&*+~?=/]/.test(value.slice(0, -1)) ||
    (value.slice(0, 60).match(/[a-z](?=[A-Z])/g) ?? []).length > 1 ||
    value.length >= 32
  );
}

const technical =
  /^(?:base\d+|sha-?\d+\w{0,6}|md\d\w{0,6}|utf-?\d+\w{0,4}|iso-?\d+|latin\d|[bs]crypt\d|i18n\d*|l10n\d*|\dfa|argon2\w*|pbkdf2|oauth2?|saml2|http\d|aes-?\d+|rsa-?\d+|hex\d+|\d+(?:st|nd|rd|th|-?\w*chars?|-?bits?|-?bytes?|-?digits?|-?characters?))\b/i;

/** Returns whether a value has letters and digits and is not the name of a format. */
export function isMixed(value: string): boolean {
  return value.length >= 6 && /\d/.test(value) && /[A-Za-z]/.test(value) && !technical.test(value);
}

/** Accepts shorter values, such as `"pass": "y1z2"`: in data, few other values have this form. */
export function isShortMixed(value: string, { kind }: NameKind): boolean {
  return (
    kind === 'password' &&
    /^(?=\D{0,9}\d)(?=[^A-Za-z]{0,9}[A-Za-z])[A-Za-z0-9]{4,}$/.test(value) &&
    !technical.test(value)
  );
}

/** Returns whether a value after the ambiguous names `token` and `pass` is a secret. */
export function isLikelySecret(value: string, { kind }: NameKind): boolean {
  if (kind === 'password') return isMixed(value) || isStrong(value);
  return /^(?=.{0,99}\d)\S{4,}$|^\S{8,}$/.test(value);
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Returns whether a text is base64 of `user:password`: printable, with a colon. */
export function isBasicLogin(value: string): boolean {
  let bits = 0;
  let bitCount = 0;
  let colon = false;
  for (const character of value.slice(0, 200).replace(/=+$/, '')) {
    const six = alphabet.indexOf(character);
    if (six < 0) return false;
    bits = ((bits << 6) | six) & 0xffff;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    const byte = (bits >> bitCount) & 0xff;
    if (byte < 0x20 || byte === 0x7f) return false;
    colon ||= byte === 0x3a;
  }
  return colon;
}
