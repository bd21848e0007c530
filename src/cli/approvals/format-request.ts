/** A request as text for a person: call, arguments, reason, deadline, roles that may decide, and the command for it. */

import { formatArguments, formatLongDuration } from '../../core/lib/display.js';
import { isObject, type Json, toValueText } from '../../core/lib/json.js';
import { showInvisible, toOneLine, toPlainText } from '../../core/lib/plain-text.js';
import { formatQuestion } from '../../core/model/request.js';
import { formatRoleFlag, listDecisionCommands } from '../../core/state/decision-text.js';
import type { OpenRequest } from '../../core/state/open-requests.js';
import { type DiffBlock, diffSigns, toContentBlock } from '../../core/view/content-block.js';
import { countMasked, type RequestView } from '../../core/view/request-view.js';
import type { Colors } from '../terminal/colors.js';
import { measureColumns, splitByWidth, truncate, wrapText } from '../terminal/text.js';

export interface LayoutOptions {
  readonly c: Colors;
  readonly width: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

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

/** Formats a request for a list: a head line, below it the reason and the roles that may decide. */
export function formatRequestLines(
  seen: RequestView,
  room: LayoutOptions & { readonly chainId: string },
): readonly string[] {
  const { c, width, now } = room;
  const chainId = toOneLine(room.chainId);
  const { call, kind, risk } = seen.request;
  const head = `${call.padEnd(5)} ${kind.padEnd(9)} `;
  const paint = risk === 'high' ? c.red : risk === 'medium' ? c.yellow : c.green;
  const indent = ' '.repeat(6);
  const reason =
    seen.reason === null || kind === 'question' ? [] : wrapText(showInvisible(seen.reason), width - indent.length);
  const what = formatRequestTitle(seen);
  const left = width - head.length;
  const commands = [
    formatCommand(chainId, seen.request),
    ...(measureColumns(what) > left ? [`longhand chain show ${chainId} --step ${Number.parseInt(call, 10)}`] : []),
  ];
  return [
    `${c.bold(call.padEnd(5))} ${paint(kind.padEnd(9))} ${truncate(what, left)}`,
    ...formatOptionLines(seen, width - indent.length).map((line) => indent + line),
    ...reason.map((line) => indent + line),
    ...wrapText(formatRequestFacts(seen, now), width - indent.length).map((line) => indent + c.dim(line)),
    ...formatMaskedLines(seen, width - indent.length).map((line) => indent + c.yellow(line)),
    ...commands.flatMap((each) => wrapText(each, width - indent.length)).map((line) => indent + c.dim(line)),
  ];
}

/** Formats a request in full for its decision, the arguments member by member. */
export function formatFullRequest(seen: RequestView, { c, width, now }: LayoutOptions): string {
  const { request, input, reason } = seen;
  const why = reason === null ? [] : wrapText(showInvisible(reason), width);
  const asked = request.kind === 'question' ? formatQuestionLines(input, width) : formatCallLines(seen, { c, width });
  return [
    ...(seen.level === 'full' ? asked : [c.bold(formatRequestTitle(seen))]),
    '',
    ...(request.kind === 'question' ? [] : why),
    ...wrapText(formatRequestFacts(seen, now), width).map((line) => c.dim(line)),
    ...formatMaskedLines(seen, width).map((line) => c.yellow(line)),
  ].join('\n');
}

/** Warns about masked values: the masked part may be the one that matters for the decision. */
function formatMaskedLines(seen: RequestView, width: number): readonly string[] {
  const masked = countMasked(seen);
  if (masked === 0) return [];
  const count = masked === 1 ? '1 value is masked' : `${masked} values are masked`;
  return wrapText(`${count}: longhand inbox --as auditor shows all values`, width);
}

/** The request in one line, without the id of its call. */
export function formatRequestTitle({ request, tool, input, level }: RequestView): string {
  if (tool === null) return 'not shown to this role';
  if (level !== 'full') return toOneLine(showInvisible(tool));
  if (request.kind === 'question') return toOneLine(showInvisible(formatQuestion(input).text));
  return `${toOneLine(showInvisible(tool))} ${formatArguments(input)}`.trimEnd();
}

/** `high risk · for release · 1 of 2 have approved · 6 days left` */
export function formatRequestFacts(
  { request, excludedUser }: Pick<RequestView, 'request' | 'excludedUser'>,
  now: number,
): string {
  const { kind, risk, roles, approvers, votes, expiresAt, onExpiry, escalates } = request;
  const then = kind === 'approval' && onExpiry === 'approve' ? ', then approved' : '';
  return [
    ...(kind === 'question' ? [] : [`${risk} risk`]),
    ...(roles.length === 0 ? [] : [`for ${toOneLine(roles.join(', '))}`]),
    ...(excludedUser === null ? [] : [`not by ${toOneLine(excludedUser)}`]),
    ...(escalates === null
      ? []
      : [`in ${formatTimeUntil(escalates.at, now)} also for ${toOneLine(escalates.roles.join(', '))}`]),
    ...(approvers === 1 ? [] : [`${votes.length} of ${approvers} have approved${formatVoters(votes)}`]),
    expiresAt === null ? 'no end' : `${expiresAt <= now ? 'no time' : formatTimeUntil(expiresAt, now)} left${then}`,
  ].join(' · ');
}

/** Rounds up to whole seconds: shorter times do not matter to a person. */
function formatTimeUntil(at: number, now: number): string {
  return formatLongDuration(Math.ceil((at - now) / 1_000) * 1_000);
}

function formatVoters(votes: OpenRequest['votes']): string {
  const names = votes.flatMap(({ by }) => by ?? []);
  return names.length === 0 ? '' : `: ${toOneLine(names.join(', '))}`;
}

function formatQuestionLines(input: Json, width: number): readonly string[] {
  const { text, unanswered } = formatQuestion(input);
  return [
    ...wrapText(showInvisible(text), width),
    ...formatChoiceLines(input, width),
    ...(unanswered === null ? [] : wrapText(showInvisible(unanswered), width)),
  ];
}

function formatChoiceLines(input: Json, width: number): readonly string[] {
  return formatQuestion(input).options.map((line) => truncate(`· ${toOneLine(showInvisible(line))}`, width));
}

function formatOptionLines({ request, level, input }: RequestView, width: number): readonly string[] {
  return request.kind === 'question' && level === 'full' ? formatChoiceLines(input, width) : [];
}

/** Longer values are cut; `chain show --step` shows them in full. */
const maxValueLines = 12;
const maxNameColumns = 20;

/** Lines of a diff. `chain show --step` has the others. */
const maxDiffLines = 60;

function formatCallLines(
  { tool, input, block }: Pick<RequestView, 'tool' | 'input' | 'block'>,
  { c, width }: Pick<LayoutOptions, 'c' | 'width'>,
): readonly string[] {
  const edit = toContentBlock(block, input);
  if (edit?.kind === 'diff')
    return [
      ...formatCallLines({ tool, input: edit.rest ?? {} }, { c, width }),
      ...formatDiffLines(edit, { c, width: width - 2 }).map((line) => `  ${line}`),
    ];
  const head = c.bold(truncate(toOneLine(showInvisible(tool ?? '')), width));
  if (!isObject(input)) return [head, `  ${truncate(toOneLine(showInvisible(toValueText(input))), width - 2)}`];
  const nameOf = (name: string) => truncate(toOneLine(showInvisible(name)), maxNameColumns);
  const names = Math.max(0, ...Object.keys(input).map((name) => measureColumns(nameOf(name))));
  const lines = Object.entries(input).flatMap(([name, value]) => {
    const label = `  ${nameOf(name)}${' '.repeat(names - measureColumns(nameOf(name)))}  `;
    const all = wrapText(
      showInvisible(typeof value === 'string' ? value : JSON.stringify(value)),
      Math.max(20, width - measureColumns(label)),
    );
    const shown =
      all.length > maxValueLines ? [...all.slice(0, maxValueLines), `… ${all.length - maxValueLines} more lines`] : all;
    return shown.map((line, at) => (at === 0 ? c.dim(label) : ' '.repeat(measureColumns(label))) + line);
  });
  return [head, ...lines];
}

/** Blanks at the start are kept, and nothing of a line is cut: a person decides about it. */
function formatDiffLines(
  { rows, omitted }: DiffBlock,
  { c, width }: Pick<LayoutOptions, 'c' | 'width'>,
): readonly string[] {
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
