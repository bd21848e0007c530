/** Walks a JSON value and gives back one of the same shape. Not by recursion: how deep a value is, a model decides. */

import { isObject, type Json } from '../lib/json.js';

/** Where a value stands. */
export interface ValuePlace {
  /** The name it stands under; an item of a list has that of the list. */
  readonly name: string;
  /** Whether one of the paths leads to it. */
  readonly marked: boolean;
}

interface JsonMapping {
  readonly paths: readonly (readonly string[])[];
  /** What a value becomes; undefined to look inside of it, or to keep one that has no inside. */
  readonly mapValue: (value: Json, place: ValuePlace) => Json | undefined;
  /** What the items of a list become before each of them is mapped: as many. */
  readonly mapItems: (items: readonly Json[]) => readonly Json[];
  /** What the name of a member becomes. */
  readonly mapKey: (key: string) => string;
  /** Called with the names of all members before the first of them is mapped. */
  readonly visitKeys: (keys: readonly string[]) => void;
  /** The name that counts for a member. */
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

/** Maps one member or item; a frame if it has members of its own to map first. */
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

/** `fromEntries` defines members: one named `__proto__` is like any other. */
function buildValue({ keys, mappedKeys, mapped }: Frame): Json {
  if (keys === null) return mapped;
  return Object.fromEntries(mappedKeys.map((key, at) => [key, mapped[at] as Json]));
}

function isContainer(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}
