/**
 * Masks the short texts that every person may see: Web UI, list of workflows, terminal (L8).
 *
 * 1. A snippet is masked before it is cut (redact/value-masker.ts, rule 3).
 * 2. A tool's sensitive values are masked in its arguments and results, and from then on in every text.
 * 3. Private parts of replies are masked: no reader is known.
 * 4. Marks are stable within one masker. A view of a whole chain counts its own.
 */

import { formatCall, type Json, maskPrivateParts, shorten, toValueText } from '../lib/index.js';
import type { KnownTool } from '../model/index.js';
import {
  createRedactor,
  createValueMasker,
  findSensitiveTexts,
  longestSearched,
  maxSensitiveTexts,
  snippetLookahead,
} from '../redact/index.js';

interface SnippetCall {
  readonly tool: string;
  readonly input: Json;
}

/** Characters that the Web UI shows of a summary. */
export const webUiSummaryLength = 120;

export interface SnippetMasker {
  /** Formats text in one line. */
  readonly line: (raw: string, characters: number) => string;
  /** Formats text with its line breaks. */
  readonly block: (raw: string, characters: number) => string;
  /** Formats arguments or a result of a tool. */
  readonly value: (tool: string, content: Json, characters: number) => string;
  /** Formats a call in one short line. */
  readonly call: (snippetCall: SnippetCall) => string;
  /** Formats a reason or a notice, which may name calls of the last step. */
  readonly reason: (raw: string, characters: number) => string;
  /** Registers a step's calls, before any part of the step is shown. */
  readonly beginStep: (tools: readonly KnownTool[] | null, calls: readonly SnippetCall[]) => void;
  /** Registers the arguments that a person set: later texts may name the call by either. */
  readonly replaceArguments: (snippetCall: SnippetCall) => void;
  /** Registers a result that is not shown, so that its sensitive values are masked elsewhere. */
  readonly rememberResult: (tool: string, content: Json) => void;
  /** Returns the sensitive values so far, for the next run of the chain. */
  readonly listHidden: () => readonly string[];
}

/**
 * Returns the same masker; a text that cannot be masked becomes a placeholder (L7). After a failure to register a
 * sensitive value, every text does: any text might contain the value.
 */
export function toFailSafeMasker(snippetMasker: SnippetMasker): SnippetMasker {
  let isOpen = true;
  const text =
    <Args extends readonly unknown[]>(show: (...args: Args) => string) =>
    (...args: Args): string => {
      try {
        return isOpen ? show(...args) : unavailableText;
      } catch {
        return unavailableText;
      }
    };
  const note =
    <Args extends readonly unknown[]>(keep: (...args: Args) => void) =>
    (...args: Args): void => {
      try {
        keep(...args);
      } catch {
        isOpen = false;
      }
    };
  const {
    line,
    block,
    value,
    call,
    reason,
    beginStep,
    replaceArguments,
    rememberResult: keep,
    listHidden,
  } = snippetMasker;
  return {
    ...{ line: text(line), block: text(block), value: text(value), call: text(call), reason: text(reason) },
    ...{ beginStep: note(beginStep), replaceArguments: note(replaceArguments), rememberResult: note(keep), listHidden },
  };
}

const unavailableText = '[cannot be shown]';

/** @param hidden sensitive values of the chain's earlier runs */
export function createSnippetMasker(hidden: readonly string[] = []): SnippetMasker {
  const masker = createValueMasker(createRedactor());
  for (const text of hidden) masker.remember(text);
  let paths: ReadonlyMap<string, readonly string[]> = new Map();
  let known: readonly KnownTool[] | null = null;
  let last: readonly SnippetCall[] = [];

  const block = (raw: string, characters: number) =>
    masker.text(maskPrivateParts(raw, characters + snippetLookahead), { characters });
  const line = (raw: string, characters: number) => {
    const masked = block(raw, characters + snippetLookahead);
    return shorten(masked.replace(/\s+/g, ' ').trim(), characters);
  };
  const keep = (tool: string, content: Json) => {
    for (const text of findSensitiveTexts(content, paths.get(tool) ?? [])) {
      if (masker.remembered.size < maxSensitiveTexts) masker.remember(text.slice(0, longestSearched));
    }
  };
  const value = (tool: string, content: Json, characters: number) => {
    keep(tool, content);
    const sensitive = paths.get(tool) ?? [];
    // A path leads into a text that is JSON: what is shown of it may be anywhere in the text.
    const read = sensitive.length === 0 ? characters + snippetLookahead : undefined;
    const snippet = masker.value(maskPrivateParts(content, read), { paths: sensitive, characters });
    return shorten(toValueText(snippet), characters);
  };
  const call = ({ tool, input }: SnippetCall) => `${tool}(${value(tool, input, 200)})`;
  return {
    line,
    block,
    value,
    call,
    reason: (raw, characters) => {
      // The reason contains cut arguments, in which the rest of a secret would not be recognised.
      const reason = last.reduce(
        (text, snippetCall) => text.split(formatCall(snippetCall.tool, snippetCall.input)).join(call(snippetCall)),
        raw,
      );
      return line(reason, characters);
    },
    rememberResult: keep,
    listHidden: () => [...masker.remembered],
    replaceArguments: (snippetCall) => {
      last = [...last, snippetCall];
      keep(snippetCall.tool, snippetCall.input);
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
