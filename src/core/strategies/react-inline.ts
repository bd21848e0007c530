/**
 * Labels in the middle of a line: `Thought: … Action: search Action Input: {…}`. Prose may say "the
 * Action: of …", so they count only where what stands around them can be nothing else.
 */

import type { Tags } from './react-labels.js';
import type { Section } from './react-sections.js';

interface Found {
  /** Where the text before the label ends. */
  readonly cut: number;
  readonly parts: readonly Section[];
}

/**
 * Splits the sections that hold labels inside their lines.
 *
 * @param visible the text without what it quotes
 */
export function splitInline(
  text: string,
  visible: string,
  sections: readonly Section[],
  tags: Tags,
): readonly Section[] {
  const patterns = patternsOf(tags);
  const acts = sections.some(({ kind }) => kind === 'action' || kind === 'input');
  const answers = sections.some(({ kind }) => kind === 'answer');
  return sections.flatMap((section, index) => {
    const next = sections[index + 1];
    const found =
      section.kind === 'thought' || section.kind === 'preface'
        ? inThought(visible, section, next, patterns, { acts, answers })
        : section.kind === 'action' && next?.kind !== 'input'
          ? inAction(text, section, patterns)
          : null;
    return found === null ? [section] : [{ ...section, end: found.cut }, ...found.parts];
  });
}

interface Patterns {
  readonly action: RegExp;
  readonly input: RegExp;
  readonly inputAnywhere: RegExp;
  readonly answer: RegExp;
  /** "The final answer is: 12", "Final answer - 12": at the start of a sentence. */
  readonly said: RegExp;
}

/** Every repetition is bounded: matching at each place of a long text stays linear. */
function patternsOf(tags: Tags): Patterns {
  const mark = '[*_`]{0,3}';
  const label = (tag: string) => `${mark}${escaped(tag)}[ ]?\\d{0,3}${mark}[ ]?[:：]${mark}`;
  const input = label(tags.written.input);
  const name = `\\s{0,20}[\`"'*]{0,3}(?<name>[\\p{L}\\p{N}_.\\\\-]{1,128})[\`"'*,.]{0,3}`;
  return {
    action: new RegExp(`(?<=[\\s.!?;,)。])${label(tags.written.action)}${name}`, 'gu'),
    input: new RegExp(`\\s{0,20}${input}`, 'uy'),
    inputAnywhere: new RegExp(`(?<=[\\s.!?;,)\`"'*])${input}`, 'u'),
    answer: new RegExp(`(?<=(?:[.!?:。)"'*]|[Aa]nswer)\\s{1,3})${label(tags.written.answer)}`, 'u'),
    said: new RegExp(
      `(?<=(?:^|\\n)\\s{0,20}|[.!?。]\\s)${mark}(?:(?:so|thus|therefore|hence),? )?(?:(?:the|my) )?${escaped(tags.written.answer)}${mark}(?: is${mark}[ ]?[:：]|[ ]?[=]|[ ][-–—](?=\\s))${mark}`,
      'iu',
    ),
  };
}

function inThought(
  text: string,
  section: Section,
  next: Section | undefined,
  patterns: Patterns,
  others: { readonly acts: boolean; readonly answers: boolean },
): Found | null {
  const body = text.slice(section.body, section.end);
  const at = section.body;
  for (const match of body.matchAll(patterns.action)) {
    const behind = match.index + match[0].length;
    const name = behind - (match[0].length - match[0].lastIndexOf(match.groups?.name ?? ''));
    patterns.input.lastIndex = behind;
    const input = patterns.input.exec(body)?.[0].length;
    const action = {
      kind: 'action',
      start: at + match.index,
      body: at + name,
      wrap: '',
      fenced: section.fenced,
    } as const;
    if (input !== undefined) {
      const start = at + behind;
      const given = {
        kind: 'input',
        start,
        body: start + input,
        end: section.end,
        wrap: '',
        fenced: section.fenced,
      } as const;
      return { cut: action.start, parts: [{ ...action, end: start }, given] };
    }
    const ends = body.slice(behind, behind + 200).trim() === '' && section.end - at - behind < 200;
    // Alone it must begin a sentence: "the required Action: none" is prose.
    const begins = !others.acts && /[.!?;)。]\s*$/.test(body.slice(Math.max(0, match.index - 10), match.index));
    const calls = begins && /^(?:\(|\[|\s?\{)/.test(body.slice(behind, behind + 2));
    if (calls || (ends && (begins || next?.kind === 'input'))) {
      return { cut: action.start, parts: [{ ...action, end: section.end }] };
    }
  }
  const answer = !others.acts && !others.answers ? (patterns.answer.exec(body) ?? patterns.said.exec(body)) : null;
  if (answer === null) return null;
  const start = at + answer.index;
  return {
    cut: start,
    parts: [
      { kind: 'answer', start, body: start + answer[0].length, end: section.end, wrap: '', fenced: section.fenced },
    ],
  };
}

function inAction(text: string, section: Section, patterns: Patterns): Found | null {
  const line = text.slice(section.body, section.end).trimStart().split('\n', 1)[0] ?? '';
  const match = patterns.inputAnywhere.exec(line);
  if (match === null) return null;
  const start = text.indexOf(line, section.body) + match.index;
  const input = {
    kind: 'input',
    start,
    body: start + match[0].length,
    end: section.end,
    wrap: '',
    fenced: section.fenced,
  } as const;
  return { cut: start, parts: [input] };
}

/** A tag as part of a pattern, its words apart or joined. */
export function escaped(tag: string): string {
  return tag.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/g, '[ _]?');
}
