/**
 * An open request as lines, for the people who decide it: first the call or the question, then its choices, the reason,
 * what applies to the decision, and a warning about masked values.
 */

import { listRequestRemarks, type OpenRequest } from '../../engine/index.js';
import type { Json } from '../../lib/index.js';
import { formatQuestion } from '../../model/index.js';
import { countMasked, type RequestView } from '../request-view.js';
import { createLine, createNamedLabel, type Line, type Style } from './line.js';

export type RequestPart = 'subject' | 'choice' | 'unanswered' | 'reason' | 'remarks' | 'masked';

/** A line of a request. Of the remarks, each is a fact about the decision. */
export interface RequestLine extends Line {
  readonly part: RequestPart;
}

/** The part of a request that its lines show. */
export interface RequestText extends Omit<RequestView, 'request' | 'block'> {
  readonly request: Omit<OpenRequest, 'call' | 'tool' | 'digest' | 'reason' | 'byRequester' | 'askedAt'>;
  /** Names of those who approved, for readers who may see them. Default: only their number. */
  readonly voters?: readonly string[];
}

const riskStyles = { high: 'bad', medium: 'warning', low: 'good' } as const satisfies {
  readonly [risk in OpenRequest['risk']]: Style;
};

/**
 * Returns the lines of a request; the first is the call or the question.
 *
 * @param now milliseconds since 1970, for times that are left; null for a text that is kept, with the times themselves
 */
export function formatOpenRequest(text: RequestText, now: number | null): readonly [RequestLine, ...RequestLine[]] {
  const { request, level, reason } = text;
  const isQuestion = request.kind === 'question';
  return [
    formatSubject(text),
    ...(isQuestion && level === 'full' ? formatChoices(text.input) : []),
    ...(isQuestion || reason === null ? [] : [createPart('reason', { content: reason })]),
    createPart('remarks', { remarks: listRemarks(text, now).map((remark) => ({ text: remark })), style: 'faint' }),
    ...formatMasked(text),
  ];
}

/** The tool with its arguments, or the question; only the tool where the viewer may not see them. */
function formatSubject({ request: { kind, risk }, level, tool, input }: RequestText): RequestLine {
  const label = createNamedLabel(kind, riskStyles[risk], tool);
  const create = (line: Partial<Line>) => createPart('subject', { label, ...line });
  if (tool === null) return create({ content: 'not shown to this role' });
  if (level !== 'full') return create({});
  if (kind === 'question') return create({ content: formatQuestion(input).text });
  return create({ content: input, form: 'arguments' });
}

function formatChoices(question: Json): readonly RequestLine[] {
  const { options, unanswered } = formatQuestion(question);
  return [
    ...options.map((option) => createPart('choice', { content: option })),
    ...(unanswered === null ? [] : [createPart('unanswered', { content: unanswered })]),
  ];
}

function listRemarks({ request, excludedUser, voters = [] }: RequestText, now: number | null): readonly string[] {
  return listRequestRemarks({ ...request, approved: request.votes.length, voters, excludedUser }, now);
}

/** The masked part may be the one that matters for the decision. */
function formatMasked(text: RequestText): readonly RequestLine[] {
  const count = countMasked(text);
  if (count === 0) return [];
  const content = count === 1 ? '1 value is masked' : `${count} values are masked`;
  return [createPart('masked', { content, style: 'warning' })];
}

function createPart(
  part: RequestPart,
  { label = createNamedLabel(part, 'plain'), ...line }: Partial<Line>,
): RequestLine {
  return { ...createLine(label, line), part };
}
