/**
 * How a tool is shown to people, checked when the tool is defined: what its author wrote, and what its schema marks.
 * The model is told nothing of it.
 */

import { isObject, type Json, type JsonObject, own } from '../../core/lib/json.js';
import type { ToolView } from '../../core/model/agent.js';
import { problemWithTemplate } from '../../core/view/summary-text.js';

/** The mark in a schema's metadata: `z.string().meta({ sensitive: true })`. */
export const sensitiveMark = 'sensitive';

type Complain = (what: string) => Error;

/** How a tool is shown: what its author wrote, with the paths that its schema marks. */
export function toolView(view: ToolView | undefined, schema: JsonObject, complain: Complain): ToolView {
  const written = view === undefined ? {} : checked(view, complain);
  const sensitive = [...new Set([...(written.sensitive ?? []), ...markedIn(schema, complain)])];
  return { ...written, ...(sensitive.length > 0 ? { sensitive } : {}) };
}

const checks: { readonly [member in keyof Required<ToolView>]: (value: unknown) => string | null } = {
  kind: (value) => (isWord(value) ? null : "must be a word, such as 'external' or 'database'"),
  level: problemWithLevel,
  childChain: problemWithLevel,
  summary: (value) => {
    if (!isWord(value)) return 'must be a line of text';
    const wrong = problemWithTemplate(value);
    return wrong === null ? null : `${wrong}: write members as {table}, {user.name} or {rows.length}`;
  },
  sensitive: (value) =>
    Array.isArray(value) && value.every(isPath) ? null : "must be paths, such as 'user.ssn', 'items.*.price'",
};

function checked(view: ToolView, complain: Complain): ToolView {
  if (!isObject(view)) throw complain("`view` must be an object, such as { kind: 'database', level: 'summary' }.");
  const given = Object.entries(view).filter(([, value]) => value !== undefined);
  for (const [member, value] of given) {
    const check = own<(value: unknown) => string | null>(checks, member);
    if (check === undefined)
      throw complain(`\`view\` has no member \`${member}\`; it has ${Object.keys(checks).join(', ')}.`);
    const wrong = check(value);
    if (wrong !== null) throw complain(`\`view.${member}\` ${wrong}.`);
  }
  return Object.fromEntries(given);
}

function problemWithLevel(value: unknown): string | null {
  return value === 'full' || value === 'summary' || value === 'hidden' ? null : "must be 'full', 'summary' or 'hidden'";
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isPath(value: unknown): boolean {
  return typeof value === 'string' && value.split('.').every((part) => part.trim() !== '');
}

/** The paths of what a schema marks. `*` is any item of a list and any member without a name of its own. */
function markedIn(schema: JsonObject, complain: Complain): readonly string[] {
  const found = new Set<string>();
  walk(schema, { path: [], within: [] }, { root: schema, found, complain });
  return [...found];
}

interface Place {
  readonly path: readonly string[];
  /** References that led here: a schema may hold itself. */
  readonly within: readonly string[];
}

interface Search {
  readonly root: JsonObject;
  readonly found: Set<string>;
  readonly complain: Complain;
}

function walk(schema: Json | undefined, place: Place, search: Search): void {
  if (!isObject(schema)) return;
  if (schema[sensitiveMark] === true) {
    // All of the arguments at once: each of them.
    search.found.add(place.path.join('.') || '*');
    return;
  }
  for (const [part, inside] of partsOf(schema)) {
    if (part !== null && (part === '' || part.includes('.')) && marks(inside)) {
      throw search.complain(
        `what is sensitive needs a path without dots in its names: rename ${JSON.stringify(part)}.`,
      );
    }
    walk(inside, part === null ? place : { ...place, path: [...place.path, part] }, search);
  }
  const reference = schema.$ref;
  if (typeof reference !== 'string') return;
  const target = targetOf(reference, search.root);
  if (!place.within.includes(reference)) walk(target, { ...place, within: [...place.within, reference] }, search);
  // It repeats itself without end, and no path says "at any depth": all of it, then.
  else if (marks(target)) search.found.add(place.path.join('.') || '*');
}

/** The schemas inside a schema, with the step that leads there; null where they describe the same value. */
function partsOf(schema: JsonObject): readonly (readonly [string | null, Json])[] {
  const { properties, patternProperties, items, prefixItems, additionalProperties } = schema;
  const same = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => listOf(schema[key]));
  return [
    ...Object.entries(isObject(properties) ? properties : {}),
    ...Object.values(isObject(patternProperties) ? patternProperties : {}).map((each) => ['*', each] as const),
    ...listOf(prefixItems).map((each, at) => [String(at), each] as const),
    ...[items, additionalProperties].filter(isObject).map((each) => ['*', each] as const),
    ...same.map((each) => [null, each] as const),
  ];
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function targetOf(reference: string, root: JsonObject): Json | undefined {
  if (reference === '#') return root;
  const name = /^#\/(?:\$defs|definitions)\/(.+)$/.exec(reference)?.[1] ?? '';
  const defs = isObject(root.$defs) ? root.$defs : isObject(root.definitions) ? root.definitions : {};
  return own(defs, name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function marks(schema: Json | undefined): boolean {
  return JSON.stringify(schema ?? null).includes(`"${sensitiveMark}":true`);
}
