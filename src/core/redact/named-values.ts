/**
 * Finds secrets whose names and values are apart in a structure: `key="Password" value="…"`, `{"name":"TOKEN","value":"…"}`,
 * `<entry key="password">…</entry>`, `<key>Password</key><string>…</string>`, in YAML also on lines of their own.
 */

import { blank, type Finder, type Finding } from './finding.js';
import { findSecretKind, likelySecretName } from './key-names.js';
import { isPlaceholder, isSecretValue } from './secret-values.js';
import { findQuotedEnd } from './written-values.js';

/** The name of an element, a member or an item. */
const nameField =
  /(?<![\w.-])(?:key|name|id|setting|variable)(?:\\{0,8}["'])?[ \t]{0,4}[:=][ \t]{0,4}(?:\\{0,8}["'])?([\w.$-]{2,64})(?:\\{0,8}["'])?(?![\w.$-])/gi;
/** Further attributes, members or lines, not empty, then the value. */
const valueAfter =
  /(?:\s|\\[nr]|,){0,24}(?:(?:\\{0,8}["'])?(?!value\b)[\w.:-]{1,40}(?:\\{0,8}["'])?[ \t]{0,4}[:=][ \t]{0,4}(?:\\{0,8}["'][^"'<>{}\n\\]{0,100}\\{0,8}["']|[\w.-]{1,40})(?:\s|\\[nr]|,){1,24}){0,4}(?:\\{0,8}["'])?value(?:\\{0,8}["'])?[ \t]{0,4}[:=][ \t]{0,4}/iy;
const valueBefore =
  /\bvalue(?:\\{0,8}["'])?[ \t]{0,4}[:=][ \t]{0,4}\\{0,8}(["'])([^"'<>{}\n]{1,150}?)\\{0,8}\1[\s,]{1,8}(?:\\{0,8}["'])?$/i;
const content = /[^<>\n]{0,100}>\s{0,40}(?:<value>\s{0,40})?(?:<!\[CDATA\[)?([^<>\n]{1,1000}?)(?:\]\]>)?\s{0,40}<\//y;
const dictionary = /<key>([\w .-]{2,64})<\/key>\s{0,20}<string>([^<>]{1,1000})<\/string>/g;
/** `- --password`, then the next item. */
const item =
  /(?<=(?:^|\n|\\n)[ \t]{0,40})- (?:\\{0,8}["'])?--?([\w-]{2,40})(?:\\{0,8}["'])?[ \t]{0,4}(?:\r?\n|\\n)[ \t]{0,40}- (?!(?:\\{0,8}["'])?-)/g;
const rest = /(?:\\{0,8}["'])?((?:(?!\\n)[^\n\r"'#,{}[\]]){1,300})/y;

export const findNamedValues: Finder = (text, { names }) => {
  if (names.size === 0 && !likelySecretName.test(text)) return [];
  const findings: Finding[] = [];
  const add = (label: string, start: number, value: string) => {
    const name = findSecretKind(label, names);
    if (name === null || name.field || value.includes(blank) || isPlaceholder(value)) return;
    if (isSecretValue(value, 'quoted', name)) findings.push({ start, end: start + value.length, kind: name.kind });
  };
  for (const { 0: whole, 1: label = '', index } of text.matchAll(nameField)) {
    if (findSecretKind(label, names) === null) continue;
    const end = index + whole.length;
    const value = findValueBehind(text, end) ?? findContentBehind(text, end) ?? findValueInFront(text, index);
    if (value !== null) add(label, value.start, value.text);
  }
  for (const { 0: whole, 1: label = '', 2: value = '', index } of text.matchAll(dictionary))
    add(label, index + whole.lastIndexOf(value), value);
  for (const { 0: whole, 1: label = '', index } of text.matchAll(item)) {
    const value = findWordAt(text, index + whole.length);
    if (value !== null) add(label, value.start, value.text);
  }
  return findings.sort((a, b) => a.start - b.start);
};

interface ValueMatch {
  readonly start: number;
  readonly text: string;
}

function findValueBehind(text: string, from: number): ValueMatch | null {
  valueAfter.lastIndex = from;
  return valueAfter.test(text) ? findWordAt(text, valueAfter.lastIndex) : null;
}

/** Returns the value in quotes, or up to the end of the line. */
function findWordAt(text: string, from: number): ValueMatch | null {
  const quote = /^(\\{0,8})(["'])/.exec(text.slice(from, from + 9));
  if (quote !== null) {
    const start = from + quote[0].length;
    return { start, text: text.slice(start, findQuotedEnd(text, start, quote[2] ?? '"', quote[1]?.length ?? 0)) };
  }
  rest.lastIndex = from;
  const value = rest.exec(text)?.[1]?.trimEnd();
  return value === undefined || value === '' || /^(?:null|true|false)$/.test(value)
    ? null
    : { start: from, text: value };
}

function findContentBehind(text: string, from: number): ValueMatch | null {
  content.lastIndex = from;
  const behind = content.exec(text);
  const value = behind?.[1];
  return value === undefined
    ? null
    : {
        start: from + (content.lastIndex - from - (behind?.[0].length ?? 0)) + (behind?.[0].lastIndexOf(value) ?? 0),
        text: value,
      };
}

function findValueInFront(text: string, at: number): ValueMatch | null {
  const first = Math.max(0, at - 220);
  const match = valueBefore.exec(text.slice(first, at));
  if (match === null) return null;
  const value = match[2] ?? '';
  return { start: first + match.index + match[0].indexOf(value, /[:=]/.exec(match[0])?.index), text: value };
}
