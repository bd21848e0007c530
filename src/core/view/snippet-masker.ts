/**
 * Masks the short texts that anyone may see: in Temporal's Web UI, its list of workflows, and on the command line (L8).
 *
 * 1. A snippet is masked before it is cut (redact/value-masker.ts, rule 3).
 * 2. What a tool calls sensitive is masked in its arguments and results, and from then on in every other text.
 * 3. Marks are stable within one of these. A view of the whole chain counts by itself.
 */

import { formatCall, shorten } from '../lib/display.js';
import { type Json, toValueText } from '../lib/json.js';
import type { KnownTool } from '../model/origin.js';
import { createRedactor } from '../redact/redactor.js';
import { findSensitiveTexts } from '../redact/sensitive-texts.js';
import { createValueMasker, longestSearched, maxSensitiveTexts, snippetLookahead } from '../redact/value-masker.js';

interface SnippetCall {
  readonly tool: string;
  readonly input: Json;
}

/** Characters that the Web UI shows of a summary. */
export const webUiSummaryLength = 120;

export interface SnippetMasker {
  /** In one line. */
  readonly line: (said: string, characters: number) => string;
  /** With its line breaks. */
  readonly block: (said: string, characters: number) => string;
  /** Arguments or a result of a tool. */
  readonly value: (tool: string, held: Json, characters: number) => string;
  /** A call in one short line. */
  readonly call: (asked: SnippetCall) => string;
  /** A reason or a notice, which may name the calls that were shown last. */
  readonly reason: (said: string, characters: number) => string;
  /** A step's calls, before anything of the step is shown. */
  readonly beginStep: (tools: readonly KnownTool[] | null, calls: readonly SnippetCall[]) => void;
  /** The arguments that a person gave a call of the step instead: texts may name it by either. */
  readonly replaceArguments: (asked: SnippetCall) => void;
  /** What a tool gave back where it is not shown: what is sensitive in it is hidden elsewhere all the same. */
  readonly rememberResult: (tool: string, held: Json) => void;
  /** What tools have called sensitive so far: for who goes on showing the same chain. */
  readonly listHidden: () => readonly string[];
}

/**
 * The same, for a place where a text that cannot be shown must not end what it stands beside (L7). Once something sensitive
 * could not be noted, nothing is shown any more: it might stand in any text.
 */
export function toFailSafeMasker(shown: SnippetMasker): SnippetMasker {
  let isOpen = true;
  const text =
    <Given extends readonly unknown[]>(show: (...given: Given) => string) =>
    (...given: Given): string => {
      try {
        return isOpen ? show(...given) : unavailableText;
      } catch {
        return unavailableText;
      }
    };
  const note =
    <Given extends readonly unknown[]>(keep: (...given: Given) => void) =>
    (...given: Given): void => {
      try {
        keep(...given);
      } catch {
        isOpen = false;
      }
    };
  const { line, block, value, call, reason, beginStep, replaceArguments, rememberResult: keep, listHidden } = shown;
  return {
    ...{ line: text(line), block: text(block), value: text(value), call: text(call), reason: text(reason) },
    ...{ beginStep: note(beginStep), replaceArguments: note(replaceArguments), rememberResult: note(keep), listHidden },
  };
}

const unavailableText = '[cannot be shown]';

/** @param hidden what was hidden when the same chain was shown before */
export function createSnippetMasker(hidden: readonly string[] = []): SnippetMasker {
  const masker = createValueMasker(createRedactor());
  for (const text of hidden) masker.remember(text);
  let paths: ReadonlyMap<string, readonly string[]> = new Map();
  let known: readonly KnownTool[] | null = null;
  let last: readonly SnippetCall[] = [];

  const block = (said: string, characters: number) => masker.text(said, { characters });
  const line = (said: string, characters: number) => {
    const masked = block(said, characters + snippetLookahead);
    return shorten(masked.replace(/\s+/g, ' ').trim(), characters);
  };
  const keep = (tool: string, held: Json) => {
    for (const text of findSensitiveTexts(held, paths.get(tool) ?? [])) {
      if (masker.remembered.size < maxSensitiveTexts) masker.remember(text.slice(0, longestSearched));
    }
  };
  const value = (tool: string, held: Json, characters: number) => {
    keep(tool, held);
    return shorten(toValueText(masker.value(held, { paths: paths.get(tool) ?? [], characters })), characters);
  };
  const call = ({ tool, input }: SnippetCall) => `${tool}(${value(tool, input, 200)})`;
  return {
    line,
    block,
    value,
    call,
    reason: (said, characters) => {
      // They are cut in there: what is left of a secret would not be recognised.
      const named = last.reduce(
        (text, asked) => text.split(formatCall(asked.tool, asked.input)).join(call(asked)),
        said,
      );
      return line(named, characters);
    },
    rememberResult: keep,
    listHidden: () => [...masker.remembered],
    replaceArguments: (asked) => {
      last = [...last, asked];
      keep(asked.tool, asked.input);
    },
    beginStep: (tools, calls) => {
      if (tools !== known) {
        known = tools;
        paths = toSensitivePaths(tools ?? []);
      }
      last = calls;
      for (const { tool, input } of calls) keep(tool, input);
    },
  };
}

function toSensitivePaths(tools: readonly KnownTool[]): ReadonlyMap<string, readonly string[]> {
  return new Map(tools.flatMap(({ name, view }) => (view.sensitive?.length ? [[name, view.sensitive]] : [])));
}
