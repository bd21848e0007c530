/** A request as text for a person: call, arguments, reason, deadline, roles that may decide, and the command for it. */

import { formatRoleFlag, listDecisionCommands, type OpenRequest } from '../../core/engine/index.js';
import {
  formatArguments,
  isObject,
  type Json,
  showInvisible,
  toOneLine,
  toPlainText,
  toValueText,
} from '../../core/lib/index.js';
import {
  type DiffBlock,
  diffSigns,
  formatOpenRequest,
  type Remark,
  type RequestLine,
  type RequestView,
  toContentBlock,
  toRemarkText,
} from '../../core/view/index.js';
import { createPainter } from '../print/painter.js';
import type { Colors } from '../terminal/colors.js';
import { measureColumns, splitByWidth, truncate, wrapText } from '../terminal/text.js';

export interface LayoutOptions {
  readonly c: Colors;
  readonly width: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

type Layout = Pick<LayoutOptions, 'c' | 'width'>;

type RequestSummary = Pick<OpenRequest, 'kind' | 'call' | 'tool' | 'roles'>;

/** Formats a request in one line, with the commands that decide it. */
export function formatWaitingRequest(chainId: string, request: RequestSummary): string {
  const { kind, call, tool, roles } = request;
  const command = formatCommand(chainId, request);
  switch (kind) {
    case 'approval':
      return `Call ${call} (${tool}) waits for approval: ${listDecisionCommands(kind, chainId, call, roles).join(', or ')}`;
    case 'question':
      return `Call ${call} (${tool}) waits for an answer: ${command}`;
    case 'outcome':
      return `The outcome of call ${call} (${tool}) is unknown. Resolve it: ${command}`;
  }
}

/** Returns the usual command for a request; any one of several roles is enough. */
function formatCommand(chainId: string, { kind, call, roles }: Omit<RequestSummary, 'tool'>): string {
  const [first = ''] = listDecisionCommands(kind, chainId, call, roles);
  if (kind !== 'outcome') return first;
  return `longhand answer ${chainId} ${call}${formatRoleFlag(roles)} --happened, --not-happened or --give-up`;
}

/** Formats a request for a list: a head line, below it the other parts of the request, and the commands for it. */
export function formatRequestLines(
  view: RequestView,
  room: LayoutOptions & { readonly chainId: string },
): readonly string[] {
  const { c, now } = room;
  const chainId = toOneLine(room.chainId);
  const { call, kind } = view.request;
  const [subject, ...rest] = formatLines(view, now);
  const head = `${call.padEnd(5)} ${kind.padEnd(9)} `;
  const title = formatTitle(subject);
  const left = room.width - head.length;
  const isCut = measureColumns(title) > left;
  const commands = [
    formatCommand(chainId, view.request),
    ...(isCut ? [`longhand chain show ${chainId} --step ${Number.parseInt(call, 10)}`] : []),
  ];
  const width = room.width - 6;
  return [
    `${c.bold(call.padEnd(5))} ${createPainter(subject.label.style, c)(kind.padEnd(9))} ${truncate(title, left)}`,
    ...[
      ...rest.filter(({ part }) => part !== 'unanswered').flatMap((line) => formatPart(line, { c, width })),
      ...commands.flatMap((command) => wrapText(command, width)).map(c.dim),
    ].map((row) => `      ${row}`),
  ];
}

/** Formats a request in full for its decision, the arguments member by member. */
export function formatFullRequest(view: RequestView, room: LayoutOptions): string {
  const [subject, ...rest] = formatLines(view, room.now);
  const isChoice = ({ part }: RequestLine) => part === 'choice' || part === 'unanswered';
  const paint = (line: RequestLine) => formatPart(line, room);
  const rows = [...rest.filter(isChoice).flatMap(paint), '', ...rest.filter((line) => !isChoice(line)).flatMap(paint)];
  return [...formatSubject(subject, view, room), ...rows].join('\n');
}

/** With the names of those who approved: the person at the terminal has the server's credentials. */
function formatLines(view: RequestView, now: number | null) {
  const voters = view.request.votes.flatMap(({ by }) => by ?? []);
  return formatOpenRequest({ ...view, voters }, now);
}

/** The request in one line, without the id of its call. */
export function formatRequestTitle(view: RequestView): string {
  return formatTitle(formatLines(view, null)[0]);
}

/** `high risk · for release · 1 of 2 have approved · 6 days left` */
export function formatRequestFacts(view: RequestView, now: number): string {
  return formatLines(view, now)
    .flatMap(({ remarks }) => remarks.map(toRemark))
    .join(' · ');
}

function formatTitle({ label, content, form }: RequestLine): string {
  const name = toOneLine(showInvisible(label.name ?? ''));
  if (form === 'arguments') return `${name} ${formatArguments(content)}`.trimEnd();
  return content === '' ? name : toOneLine(showInvisible(toValueText(content)));
}

function formatPart({ part, content, remarks }: RequestLine, { c, width }: Layout): readonly string[] {
  const text = showInvisible(toValueText(content));
  switch (part) {
    case 'choice':
      return [truncate(`· ${toOneLine(text)}`, width)];
    case 'remarks':
      return wrapText(remarks.map(toRemark).join(' · '), width).map(c.dim);
    case 'masked':
      return wrapText(`${text}: longhand inbox --as auditor shows all values`, width).map(c.yellow);
    case 'subject':
    case 'unanswered':
    case 'reason':
      return wrapText(text, width);
  }
}

function toRemark(remark: Remark): string {
  return toOneLine(toRemarkText(remark));
}

function formatSubject(subject: RequestLine, view: RequestView, room: Layout): readonly string[] {
  if (subject.form === 'arguments') return formatCall(view, room);
  return subject.label.name === null || subject.content === ''
    ? [room.c.bold(formatTitle(subject))]
    : formatPart(subject, room);
}

/** Longer values are cut; `chain show --step` shows them in full. */
const maxValueLines = 12;
const maxNameColumns = 20;

/** Lines of a diff. `chain show --step` has the others. */
const maxDiffLines = 60;

/** An edit as a diff, with its other arguments. */
function formatCall({ tool, input, block }: RequestView, { c, width }: Layout): readonly string[] {
  const head = c.bold(truncate(toOneLine(showInvisible(tool ?? '')), width));
  const edit = toContentBlock(block, input);
  if (edit?.kind !== 'diff') return [head, ...formatMembers(input, { c, width })];
  const rows = formatDiff(edit, { c, width: width - 2 }).map((row) => `  ${row}`);
  return [head, ...formatMembers(edit.rest ?? {}, { c, width }), ...rows];
}

function formatMembers(input: Json, { c, width }: Layout): readonly string[] {
  if (!isObject(input)) return [`  ${truncate(toOneLine(showInvisible(toValueText(input))), width - 2)}`];
  const nameOf = (name: string) => truncate(toOneLine(showInvisible(name)), maxNameColumns);
  const names = Math.max(0, ...Object.keys(input).map((name) => measureColumns(nameOf(name))));
  return Object.entries(input).flatMap(([name, value]) => {
    const label = `  ${nameOf(name)}${' '.repeat(names - measureColumns(nameOf(name)))}  `;
    const all = wrapText(
      showInvisible(typeof value === 'string' ? value : JSON.stringify(value)),
      Math.max(20, width - measureColumns(label)),
    );
    const rows =
      all.length > maxValueLines ? [...all.slice(0, maxValueLines), `… ${all.length - maxValueLines} more lines`] : all;
    return rows.map((row, at) => (at === 0 ? c.dim(label) : ' '.repeat(measureColumns(label))) + row);
  });
}

/** Blanks at the start are kept, and nothing of a line is cut: a person decides about it. */
function formatDiff({ rows, omitted }: DiffBlock, { c, width }: Layout): readonly string[] {
  const lines = rows.flatMap(({ change, text }) => {
    const paint = change === 'added' ? c.green : change === 'removed' ? c.red : c.dim;
    const plain = toPlainText(showInvisible(text.replaceAll('\r', '\\r').replaceAll('\t', '    ')));
    const wrapped = splitByWidth(plain, Math.max(20, width - 1));
    return wrapped.map((row, at) => paint((at === 0 ? diffSigns[change] : ' ') + row));
  });
  const left = lines.length - maxDiffLines;
  const more = [...(left > 0 ? [`${left} more lines`] : []), ...omitted];
  return [...lines.slice(0, maxDiffLines), ...(more.length === 0 ? [] : [c.dim(`… ${more.join(', ')}`)])];
}
