/**
 * Anchors: signed heads for an outside witness. A writer of the database cannot change them, so a log that was cut back to an
 * earlier head, rewritten or removed differs from its anchor.
 */

import { check, isObject, parseJson, toCanonicalJson } from '../lib/index.js';
import { checkSignedHeads, type SignedHead } from './head.js';

const anchorFormat = 'longhand.audit.anchor';
const anchorVersion = 1;

export interface Anchor {
  readonly format: typeof anchorFormat;
  readonly version: typeof anchorVersion;
  /** ISO 8601, by the clock of the host that wrote the anchor. */
  readonly at: string;
  readonly namespace: string;
  /** The newest head of each log. */
  readonly heads: readonly SignedHead[];
  /** Public keys in PEM, by their ids. */
  readonly keys: { readonly [key: string]: string };
}

const isAnchor = check.shape<Anchor>({
  format: check.oneOf([anchorFormat]),
  version: check.define<1>((value) => value === anchorVersion, 'must be 1'),
  ...{ at: check.text, namespace: check.text },
  heads: checkSignedHeads,
  keys: check.record(check.text),
}).is;

/** Formats an anchor as one line, so that a file can collect anchors. */
export function formatAnchor(anchor: Omit<Anchor, 'format' | 'version'>): string {
  return `${toCanonicalJson({ format: anchorFormat, version: anchorVersion, ...anchor })}\n`;
}

export type AnchorsResult =
  | { readonly ok: true; readonly anchors: readonly Anchor[] }
  /** The end of a sentence. */
  | { readonly ok: false; readonly problem: string };

/** Parses anchors. @param text one anchor, or one per line */
export function parseAnchors(text: string): AnchorsResult {
  const one = parseJson(text);
  const values =
    one !== undefined ? [one] : text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [parseJson(line)]));
  if (values.length === 0) return { ok: false, problem: 'it is empty' };
  const anchors: Anchor[] = [];
  for (const [index, value] of values.entries()) {
    if (value === undefined) return { ok: false, problem: `line ${index + 1} is not JSON` };
    if (!isObject(value) || value.format !== anchorFormat) {
      return { ok: false, problem: `line ${index + 1} is not a ${anchorFormat}` };
    }
    if (value.version !== anchorVersion) {
      return { ok: false, problem: `its version is ${JSON.stringify(value.version)}; expected ${anchorVersion}` };
    }
    if (!isAnchor(value)) return { ok: false, problem: `the anchor in line ${index + 1} is incomplete` };
    anchors.push(value);
  }
  return { ok: true, anchors };
}
