/** The formats of texts in JSON Schemas: those of the validator, and those that it lacks or checks too little. */

import { format } from '@cfworker/json-schema';
import { isIdnHostname } from './idn-hostname.js';

/**
 * Completes the validator's own table: it takes no other. The table is global to the process's copy of the package, so another user of
 * that copy has these formats too.
 */
export function completeFormats(): void {
  Object.assign(format, formats);
}

const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ipv4 = new RegExp(`^${byte}(?:\\.${byte}){3}$`);

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  // Without leading zeros, which some readers take for octal numbers.
  ipv4: (text) => ipv4.test(text),
  'idn-hostname': isIdnHostname,
  'idn-email': (text) => {
    const at = text.lastIndexOf('@');
    const isName = /^[^\s@]{1,64}$/.test(text.slice(0, Math.max(at, 0)));
    return format.email?.(text) === true || (isName && isIdnHostname(text.slice(at + 1)));
  },
  // The validator's own pattern takes exponential time.
  url: (text) => /^(?:https?|ftp):\/\/[^/?#]/i.test(text) && format.uri?.(toUri(text)) === true,
  iri: (text) => format.uri?.(toUri(text)) === true,
  'iri-reference': (text) => format['uri-reference']?.(toUri(text)) === true,
};

/** An IRI is a URI with more letters. */
function toUri(iri: string): string {
  return iri.replace(/[\u{a0}-\u{10ffff}]/gu, '%00');
}
