/** Maps a JSON value to one of the same shape. Without recursion: a model decides how deep a value is. */

import { isObject, type Json } from './json.js';

/** The position of a value. */
export interface ValuePlace {
  /** The name of the member; an item of a list has the list's name. */
  readonly name: string;
  /** Whether a path leads to the value. */
  readonly marked: boolean;
}

interface JsonMapping {
  readonly paths: readonly (readonly string[])[];
  /** Returns the new value; undefined to map its members, or to keep a scalar. */
  readonly mapValue: (value: Json, place: ValuePlace) => Json | undefined;
  /** Returns as many items, before each is mapped. */
  readonly mapItems: (items: readonly Json[]) => readonly Json[];
  /** Returns the new name of a member. */
  readonly mapKey: (key: string) => string;
  /** Receives the names of all members before the first is mapped. */
  readonly visitKeys: (keys: readonly string[]) => void;
  /** Returns the name that decides about a member. */
  readonly getName: (key: string, parent: Json, parentName: string) => string;
}

interface Frame {
  readonly source: Json;
  readonly name: string;
  /** Null for a list. */
  readonly keys: readonly string[] | null;
  readonly values: readonly Json[];
  readonly paths: readonly (readonly string[])[];
  readonly depth: number;
  readonly mappedKeys: string[];
  readonly mapped: Json[];
}

export function mapJson(value: Json, mapping: JsonMapping): Json {
  const rootPaths = mapping.paths.filter((path) => path.length > 0);
  const direct = mapping.mapValue(value, { name: '', marked: rootPaths.length < mapping.paths.length });
  if (direct !== undefined || !isContainer(value)) return direct ?? value;
  const open: Frame[] = [createFrame(value, '', rootPaths, 0, mapping)];
  for (;;) {
    const frame = open.at(-1);
    if (frame === undefined) return value;
    const at = frame.mapped.length;
    if (at === frame.values.length) {
      open.pop();
      const done = buildValue(frame);
      const parent = open.at(-1);
      if (parent === undefined) return done;
      parent.mapped.push(done);
      continue;
    }
    const next = mapNext(frame, at, mapping);
    if (next !== null) open.push(next);
  }
}

/** Maps one member or item; returns a frame if its own members must be mapped first. */
function mapNext(frame: Frame, at: number, mapping: JsonMapping): Frame | null {
  const value = frame.values[at] as Json;
  const key = frame.keys?.[at];
  const step = key ?? String(at);
  const { depth } = frame;
  const paths = frame.paths.filter((path) => path[depth] === '*' || path[depth] === step);
  const name = key === undefined ? frame.name : mapping.getName(key, frame.source, frame.name);
  if (key !== undefined) frame.mappedKeys.push(mapping.mapKey(key));
  const mapped = mapping.mapValue(value, { name, marked: paths.some((path) => path.length === depth + 1) });
  if (mapped === undefined && isContainer(value)) return createFrame(value, name, paths, depth + 1, mapping);
  frame.mapped.push(mapped ?? value);
  return null;
}

function createFrame(source: Json, name: string, paths: Frame['paths'], depth: number, mapping: JsonMapping): Frame {
  const keys = isObject(source) ? Object.keys(source) : null;
  if (keys !== null) mapping.visitKeys(keys);
  const values = isObject(source) ? Object.values(source) : mapping.mapItems(source as readonly Json[]);
  return { source, name, keys, values, paths, depth, mappedKeys: [], mapped: [] };
}

/** `fromEntries` defines members, so `__proto__` is a member like any other. */
function buildValue({ keys, mappedKeys, mapped }: Frame): Json {
  if (keys === null) return mapped;
  return Object.fromEntries(mappedKeys.map((key, at) => [key, mapped[at] as Json]));
}

function isContainer(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}
