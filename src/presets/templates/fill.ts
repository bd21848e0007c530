/** Texts with places for parameters: `Fix: {error}`. */

import { asText, type Json, type JsonObject, own } from '../../core/lib/json.js';

const places = /\{([A-Za-z_]\w*)\}/g;

/** Names of the parameters that a text has places for. */
export function placesIn(text: string): readonly string[] {
  return [...text.matchAll(places)].map(([, name = '']) => name);
}

/** The text with what its places stand for. What a parameter says has no places. A line without its parameter is left out. */
export function filled(text: string, parameters: JsonObject): string {
  const lines = text.split('\n').filter((line) => placesIn(line).every((name) => own(parameters, name) !== undefined));
  return lines
    .join('\n')
    .replace(places, (_place, name: string) => inText(own(parameters, name) ?? ''))
    .trim();
}

function inText(value: Json): string {
  return Array.isArray(value) ? value.map(asText).join(', ') : asText(value);
}
