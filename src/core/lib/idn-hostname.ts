/**
 * Host names with letters of all scripts, by the rules for a registration (RFC 5891, RFC 5892). By the classes of characters that
 * regular expressions have; the tables of the standard reject some more.
 */

export function isIdnHostname(text: string): boolean {
  const labels = text.split(/[.\u3002\uff0e\uff61]/);
  return text.length <= 253 && labels.every((label) => isLabel(label));
}

function isLabel(label: string): boolean {
  if (label.length > 63) return false;
  const [, encoded] = /^xn--(.*)$/i.exec(label) ?? [];
  if (encoded === undefined) return isPlainLabel(label);
  const decoded = decodePunycode(encoded.toLowerCase());
  return decoded !== null && /[^\0-\x7f]/.test(decoded) && isPlainLabel(decoded);
}

function isPlainLabel(label: string): boolean {
  return (
    /^(?:[\p{L}\p{M}\p{Nd}\-\u00b7\u0375\u05f3\u05f4\u06fd\u06fe\u0f0b\u3007\u30fb]|\u200c|\u200d)+$/u.test(label) &&
    !/^-|-$|^..--|^\p{M}/u.test(label) &&
    !misplaced.some((pattern) => pattern.test(label))
  );
}

const viramas =
  '\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca\\u0e3a\\u0f84\\u1039\\u103a\\u1714\\u1734\\u17d2\\u1a60\\u1b44\\u1baa\\u1bf2\\u1bf3\\u2d7f\\ua806\\ua8c4\\ua953\\ua9c0\\uaaf6\\uabed';

/** Characters that are never permitted, or only beside certain others. */
const misplaced: readonly RegExp[] = [
  /[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b]/u,
  // The middle dot of Catalan.
  /(?<!l)\u00b7|\u00b7(?!l)/u,
  /\u0375(?!\p{Script=Greek})/u,
  /(?<!\p{Script=Hebrew})[\u05f3\u05f4]/u,
  /^[^\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]*\u30fb[^\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]*$/u,
  /[\u0660-\u0669].*[\u06f0-\u06f9]|[\u06f0-\u06f9].*[\u0660-\u0669]/u,
  // Joiners: after a virama, and the one that does not join also between letters that would join.
  new RegExp(`(?<![${viramas}])\\u200d`, 'u'),
  new RegExp(
    `(?<![${viramas}])(?<![\\p{Script=Arabic}\\p{Script=Syriac}]\\p{M}*)\\u200c|(?<![${viramas}])\\u200c(?!\\p{M}*[\\p{Script=Arabic}\\p{Script=Syriac}])`,
    'u',
  ),
];

/** Decodes a label by RFC 3492; null if it is not valid. */
function decodePunycode(encoded: string): string | null {
  const end = encoded.lastIndexOf('-');
  const characters = [...encoded.slice(0, Math.max(end, 0))];
  let [code, at, bias] = [128, 0, 72];
  for (let next = end + 1; next < encoded.length; ) {
    const before = at;
    for (let weight = 1, place = 36; ; place += 36) {
      const digit = 'abcdefghijklmnopqrstuvwxyz0123456789'.indexOf(encoded[next++] ?? '?');
      if (digit < 0) return null;
      at += digit * weight;
      const threshold = Math.min(Math.max(place - bias, 1), 26);
      if (digit < threshold) break;
      weight *= 36 - threshold;
    }
    const count = characters.length + 1;
    bias = adaptBias(at - before, count, before === 0);
    code += Math.floor(at / count);
    at %= count;
    if (code > 0x10ffff) return null;
    characters.splice(at++, 0, String.fromCodePoint(code));
  }
  return characters.join('');
}

function adaptBias(distance: number, count: number, isFirst: boolean): number {
  let delta = Math.floor(distance / (isFirst ? 700 : 2));
  delta += Math.floor(delta / count);
  let steps = 0;
  for (; delta > 455; steps += 36) delta = Math.floor(delta / 35);
  return steps + Math.floor((36 * delta) / (delta + 38));
}
