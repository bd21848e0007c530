/**
 * What stands at the sensitive paths of a chain's tools, so that it can be kept out of everything else that is said in
 * the chain. Found by the paths alone: a redactor that counts what it sees is not asked before its turn.
 */

import { type Json, own } from './json.js';
import { ownView } from './level-of.js';
import type { ReasoningStep } from './reasoning.js';
import { pathParts } from './redact/policy.js';
import type { Scene } from './visibility.js';

export interface OfTool {
  readonly tool: string;
  readonly toolKind: string;
}

/** Shorter ones would be found inside of innocent words and numbers. */
const shortest = 6;

/** Of the tool, and of what the configuration says about it and its kind: none of them takes back another's. */
export function sensitivePaths({ tool, toolKind }: OfTool, scene: Scene): readonly string[] {
  const { tools, toolKinds } = scene.config;
  return [ownView(scene, tool), own(tools ?? {}, tool), own(toolKinds ?? {}, toolKind)].flatMap(
    (said) => said?.sensitive ?? [],
  );
}

export function secretsOf(steps: readonly ReasoningStep[], scene: Scene): ReadonlySet<string> {
  const found = new Set<string>();
  for (const step of steps) {
    if (step.kind !== 'tool_call' && step.kind !== 'tool_result') continue;
    const held = step.kind === 'tool_call' ? step.input : step.observation;
    for (const path of sensitivePaths(step, scene)) {
      for (const leaf of leavesOf(membersAt(jsonIn(held) ?? held, pathParts(path)))) {
        const secret = String(leaf).trim();
        if (secret.length >= shortest) found.add(secret);
      }
    }
  }
  return found;
}

/** A text that is JSON, read; else null. Tools give back such texts, and members of theirs are members too. */
export function jsonIn(text: Json): Json | null {
  if (typeof text !== 'string' || !/^\s*[{[]/.test(text)) return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

function membersAt(value: Json, path: readonly string[]): readonly Json[] {
  let found: readonly Json[] = [value];
  for (const part of path) {
    found = found.flatMap((each) => {
      if (typeof each !== 'object' || each === null) return [];
      if (part === '*') return Object.values<Json>(each);
      const member = own(each as { readonly [key: string]: Json }, part);
      return member === undefined ? [] : [member];
    });
  }
  return found;
}

/** Not by recursion: how deep a value is, a model decides. */
function leavesOf(values: readonly Json[]): readonly (string | number)[] {
  const ahead = [...values];
  const leaves: (string | number)[] = [];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === 'object' && next !== null) for (const each of Object.values<Json>(next)) ahead.push(each);
    else if (typeof next === 'string' || typeof next === 'number') leaves.push(next);
  }
  return leaves;
}
