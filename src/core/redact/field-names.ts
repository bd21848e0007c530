/** Decides by their names which fields of a value hold secrets. */

import { findOwn, isObject, type Json, type JsonObject } from '../lib/index.js';
import { findSecretKind, type NameKind, toPlainName } from './key-names.js';
import { isLikelySecret, isMixed, isShortMixed } from './secret-values.js';

/** Returns whether a text or number under this name is masked as a whole. */
export function isUnderSecretName(value: string | number, name: string, names: ReadonlySet<string>): boolean {
  if (name === '' || value === '') return false;
  if (isCodeUnderName(value, name)) return true;
  const kind = findSecretKind(name, names) ?? findListKind(name);
  if (kind === null) return false;
  // `credentials: "include"` is an option of `fetch`; a shell's `PWD` is its working directory.
  if (kind.field && /^(?:include|omit|same-origin)$/.test(String(value))) return false;
  if (name === 'PWD' || name === 'OLDPWD') return false;
  // A token is also a piece of a text, or counted by a number.
  if (!kind.bare) return true;
  if (typeof value !== 'string') return false;
  if (/^tokens$/i.test(name)) return value.length >= 10 && isMixed(value);
  return isLikelySecret(value, kind) || isShortMixed(value, kind) || (kind.kind === 'token' && /^\S{6,}$/.test(value));
}

/** Values of `auth` that name a login method, not a credential. */
const loginMethods =
  /^(?:none|basic|bearer|digest|oauth\d?|jwt|tokens?|required|optional|public|private|users?|admin|anonymous|session|cookie|sso|saml|ldap|iam|api|api[-_ ]?key|password|true|false|yes|no|on|off|enabled|disabled|google|github|okta|azure|aws|auto|default|kerberos|ntlm|m?tls|ssl|passkey|ok|failed|success|\/.*|https?:.*)$/i;

function isCodeUnderName(value: string | number, name: string): boolean {
  const text = String(value);
  const plain = toPlainName(name);
  if (plain === 'auth')
    return typeof value === 'string' && text.length <= 4096 && !/\s.*\s/.test(text) && !loginMethods.test(text);
  if (/^(?:pin|pinnumber|cardpin|userpin)$/.test(plain)) return /^\d{4,8}$/.test(text);
  if (/^(?:otp|otpcode|onetimecode|verificationcode|securitycode|mfacode|2facode)$/.test(plain))
    return /^\d{3,8}$/.test(text);
  return (
    /^(?:credit|debit)?card(?:number|no|num)$|^(?:credit|debit)card$|^ccnumber$/.test(plain) &&
    /^[\d\s*x-]*\d{4}$/i.test(text)
  );
}

/** Returns the kind of a list called `tokens`; its items may also be pieces of a text. */
function findListKind(name: string): NameKind | null {
  return /^tokens$/i.test(name) ? findSecretKind('token') : null;
}

/** Returns the name that decides about a member: its key, the `name` of its object, or the field of the object. */
export function getMemberName(key: string, parent: Json, parentName: string, names: ReadonlySet<string>): string {
  if (!isObject(parent)) return key;
  if (key.toLowerCase() === 'value') return findSettingName(parent) ?? inheritName(key, parent, parentName, names);
  if (/^tokens?$/i.test(key) && !names.has(toPlainName(key)) && isPieceOfText(parent)) return '';
  return inheritName(key, parent, parentName, names);
}

/** Members of a secret are secrets too, except for its metadata. */
function inheritName(key: string, parent: JsonObject, parentName: string, names: ReadonlySet<string>): string {
  const kind = parentName === '' ? null : findSecretKind(parentName, names);
  if (kind === null || isSchema(parent)) return key;
  if (/(?:secrets|passwords|cookies)$/i.test(parentName)) return parentName;
  return kind.field || aboutSecrets.test(key) ? key : parentName;
}

const aboutSecrets =
  /^(?:.*(?:count|length|size|total|limit|name|type|status|version|url|uri|path|at|in|ref|id)|is[A-Z_].*|has[A-Z_].*|(?:min|max)\w*|kind|key|title|label|hint|help|placeholder|description|messages?|errors?|format|pattern|enabled|required|valid|used|prompt|completion|input|output|ttl|expir\w*|created\w*|updated\w*|rotated\w*|algorithm|alg|provider|user|email|login|host|port|region|scopes?|roles?|owner|source|from)$/i;

const schemaTypes = /^(?:string|number|integer|boolean|object|array|null|text|password|hidden|secret|strings?)$/i;

function isSchema(parent: JsonObject): boolean {
  const type = findOwn(parent, 'type');
  if (typeof type === 'string') return schemaTypes.test(type);
  return Array.isArray(type) || ['$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'properties'].some((key) => key in parent);
}

/** Returns whether an object is a token of a parser or a model. */
function isPieceOfText(parent: JsonObject): boolean {
  return Object.keys(parent).some((key) =>
    /^(?:logprobs?|top_?logprobs|bytes|prob|probability|score|pos|lemma|tag|start|end|offset|index|position|line|column|col|idx|count|freq\w*|weight|rank)$/i.test(
      key,
    ),
  );
}

/** Returns the name of a setting such as `{ "name": "DB_PASSWORD", "value": "…" }`. */
function findSettingName(setting: { readonly [key: string]: Json }): string | null {
  for (const key of ['name', 'key', 'Name', 'Key']) {
    const name = findOwn(setting, key);
    if (typeof name === 'string') return name;
  }
  return null;
}
