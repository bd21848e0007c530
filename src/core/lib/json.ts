/** JSON as data: all values that a chain stores. */

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

// Read once: inside a workflow each access to a global passes the sandbox, at a hundred times the price.
const { parse, stringify } = JSON;
const { entries, hasOwn, keys, values } = Object;
const { isArray } = Array;

/**
 * Returns the canonical JSON of a value: sorted keys, no absent members, no white space. Equal values have equal bytes.
 * The text is well-formed Unicode, so that any database and program reads back what was hashed.
 */
export function toCanonicalJson(value: unknown): string {
  const text = writeValue(value, 0);
  if (!text.includes('\\ud')) return text;
  const replaced = replaceLoneEscapes(text);
  // Replaced keys may be equal now, and in another order.
  return replaced === text ? text : writeValue(parse(replaced), 0);
}

/**
 * Replaces lone surrogates by U+FFFD, in texts and in keys.
 *
 * A well-formed value is returned unchanged. Otherwise keys are sorted, and of two keys that become equal the last one
 * stays. A lone surrogate and U+FFFD are both one unit, so positions in a text stay valid.
 */
export function toWellFormed<T>(value: T): T {
  return isWellFormed(value) ? value : (parse(replaceLoneEscapes(writeValue(value, 0))) as T);
}

const loneSurrogatePattern = /\p{Surrogate}/u;

/** The engine's own test, where it has one, takes a fraction of the pattern's time. */
const { isWellFormed: testNatively } = String.prototype as { isWellFormed?: (this: string) => boolean };

function isWellFormedText(text: string): boolean {
  return testNatively === undefined ? !loneSurrogatePattern.test(text) : testNatively.call(text);
}

/** Iterates with an explicit stack: models decide how deep a value is. */
function isWellFormed(value: unknown): boolean {
  const ahead: unknown[] = [value];
  while (ahead.length > 0) {
    const next = ahead.pop();
    if (typeof next === 'string' && !isWellFormedText(next)) return false;
    if (next === null || typeof next !== 'object') continue;
    if (isArray(next)) for (const item of next) ahead.push(item);
    else {
      for (const key of keys(next)) {
        if (!isWellFormedText(key)) return false;
        ahead.push((next as Record<string, unknown>)[key]);
      }
    }
  }
  return true;
}

/** Escapes as a whole, so that an escaped backslash does not start one. */
const escapePattern = /\\(?:u[0-9a-f]{4}|[^u])/g;

/** Relies on the engine to escape only control characters and lone surrogates (U+D800 to U+DFFF). */
function replaceLoneEscapes(text: string): string {
  return text.replace(escapePattern, (match) => (match.startsWith('\\ud') ? '\ufffd' : match));
}

function writeValue(value: unknown, depth: number): string {
  if (typeof value === 'string') return writeText(value);
  if (value === null || typeof value !== 'object') return stringify(value ?? null);
  if (depth >= maxDepth) return writeDeep(value);
  let text = '';
  if (isArray(value)) {
    for (const item of value) text += text === '' ? writeValue(item, depth + 1) : `,${writeValue(item, depth + 1)}`;
    return `[${text}]`;
  }
  for (const key of sortNames(keys(value))) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${writeName(key)}${writeValue(member, depth + 1)}`;
  }
  return `{${text}}`;
}

/** Texts that JSON writes as they are. */
const plainTextPattern = /^[ !#-[\]-~]*$/;

/** Longer texts are written faster by the engine, even though each call of it has a price. */
const maxShortLength = 64;

function writeText(text: string): string {
  return text.length <= maxShortLength && plainTextPattern.test(text) ? `"${text}"` : stringify(text);
}

/** Names of members as JSON, with their colon. Bounded, because models choose names; most are those of our own types. */
const nameTexts = new Map<string, string>();
const maxNameTexts = 1_024;

function writeName(name: string): string {
  const cached = nameTexts.get(name);
  if (cached !== undefined) return cached;
  const text = `${writeText(name)}:`;
  if (nameTexts.size < maxNameTexts && name.length <= maxShortLength && isWellFormedText(name))
    nameTexts.set(name, text);
  return text;
}

/** Sorts in place, few names by insertion: the engine's sort allocates memory, and facts consist of small objects. */
function sortNames(names: string[]): string[] {
  if (names.length > 16) return names.sort();
  for (let at = 1; at < names.length; at++) {
    const name = names[at]!;
    let to = at;
    for (; to > 0 && names[to - 1]! > name; to--) names[to] = names[to - 1]!;
    names[to] = name;
  }
  return names;
}

/** Deeper values are written without recursion, which would exhaust the stack: models decide how deep a value is. */
const maxDepth = 200;

function writeDeep(value: object): string {
  const pieces: string[] = [];
  const ahead: JsonPart[] = [{ value }];
  for (let part = ahead.pop(); part !== undefined; part = ahead.pop()) {
    if ('text' in part) pieces.push(part.text);
    else if (part.value === null || typeof part.value !== 'object') pieces.push(stringify(part.value ?? null));
    else for (const child of listParts(part.value).reverse()) ahead.push(child);
  }
  return pieces.join('');
}

type JsonPart = { readonly text: string } | { readonly value: unknown };

function listParts(value: object): JsonPart[] {
  if (isArray(value)) {
    const items = value.flatMap((item: unknown, at): JsonPart[] => [{ text: at === 0 ? '' : ',' }, { value: item }]);
    return [{ text: '[' }, ...items, { text: ']' }];
  }
  const members = entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, member], at): JsonPart[] => [
      { text: `${at === 0 ? '' : ','}${stringify(key)}:` },
      { value: member },
    ]);
  return [{ text: '{' }, ...members, { text: '}' }];
}

/** Returns whether a value is nested so deeply that recursive code, such as the engine's JSON functions, may fail. */
export function isTooDeep(value: unknown, levels = maxDepth): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (levels === 0) return true;
  // Most members are no objects: they take no call.
  for (const member of isArray(value) ? value : values(value))
    if (typeof member === 'object' && member !== null && isTooDeep(member, levels - 1)) return true;
  return false;
}

/** Returns an own member of an object. Names come from models: `constructor` must not resolve. */
export function findOwn<T>(record: { readonly [key: string]: T }, key: string): T | undefined {
  return hasOwn(record, key) ? record[key] : undefined;
}

/** Returns the members that have a value: an option that is undefined is not given. */
export function omitUndefined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const pairs = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(pairs) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** Returns an object without members that are null: programs in some languages write what is absent as null. */
export function omitNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries<unknown>(value).filter(([, member]) => member !== null));
}

/** Returns undefined for a text that is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Returns the value of a JSON text, and the text itself for any other. */
export function parseJsonOrText(text: string): Json {
  const value = parseJson(text);
  return value === undefined ? text : value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !isArray(value);
}

/** Returns a list, and an empty one for any other value. */
export function toList(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : [];
}

/** Returns the text of a value in a conversation: text unchanged, anything else as JSON. */
export function toValueText(value: Json): string {
  return typeof value === 'string' ? value : stringify(value);
}

/** Returns the characters of all texts and names within a value, in UTF-16 units. It does not read them, so their length costs no time. */
export function countCharacters(value: unknown): number {
  let characters = 0;
  const ahead: unknown[] = [value];
  while (ahead.length > 0) {
    const next = ahead.pop();
    if (typeof next === 'string') characters += next.length;
    if (next === null || typeof next !== 'object') continue;
    if (isArray(next)) for (const item of next) ahead.push(item);
    else {
      for (const key of keys(next)) {
        characters += key.length;
        ahead.push((next as Record<string, unknown>)[key]);
      }
    }
  }
  return characters;
}

/** This test takes a third of the time of counting. */
const nonAsciiPattern = /[\u0080-\uffff]/;

/** Returns the UTF-8 bytes of a text: an upper bound of its tokens, since no token is shorter than a byte. */
export function countUtf8Bytes(text: string): number {
  if (!nonAsciiPattern.test(text)) return text.length;
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // A surrogate pair has four bytes; three for each half is never too few.
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
  }
  return bytes;
}
