/** A request as text for a person: what is asked, with which arguments, why, by when, for whom, and the command for it. */

import type { OpenRequest } from '../../client/read/open-requests.js';
import { formatArguments, formatLongDuration } from '../../core/lib/display.js';
import { isObject, type Json, toValueText } from '../../core/lib/json.js';
import { showInvisible, toOneLine } from '../../core/lib/plain-text.js';
import { findQuestion, listChoices } from '../../core/model/request.js';
import { formatRoleFlag, listDecisionCommands } from '../../core/state/decision-text.js';
import type { Colors } from '../terminal/colors.js';
import { columns, cut, wrapped } from '../terminal/text.js';
import { countMarks, type RequestView } from './request-view.js';

export interface Room {
  readonly c: Colors;
  readonly width: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

type Asked = Pick<OpenRequest, 'kind' | 'call' | 'tool' | 'roles'>;

/** In one line, with the commands that decide it, as they can be typed. */
export function waitingText(chainId: string, request: Asked): string {
  const { kind, call, tool, roles } = request;
  const command = commandText(chainId, request);
  switch (kind) {
    case 'approval':
      return `Call ${call} (${tool}) waits for approval: ${listDecisionCommands(kind, chainId, call, roles).join(', or ')}`;
    case 'question':
      return `Call ${call} (${tool}) waits for an answer: ${command}`;
    case 'outcome':
      return `Somebody has to say whether call ${call} (${tool}) happened: ${command}`;
  }
}

/** The usual command; any of several roles is enough. */
function commandText(chainId: string, { kind, call, roles }: Omit<Asked, 'tool'>): string {
  const [first = ''] = listDecisionCommands(kind, chainId, call, roles);
  if (kind !== 'outcome') return first;
  return `longhand answer ${chainId} ${call}${formatRoleFlag(roles)} --happened, --not-happened or --give-up`;
}

/** In a list: its head in one line, below it the reason and who may decide. */
export function requestLines(seen: RequestView, room: Room & { readonly chainId: string }): readonly string[] {
  const { c, width, now } = room;
  const chainId = toOneLine(room.chainId);
  const { call, kind, risk } = seen.request;
  const head = `${call.padEnd(5)} ${kind.padEnd(9)} `;
  const paint = risk === 'high' ? c.red : risk === 'medium' ? c.yellow : c.green;
  const indent = ' '.repeat(6);
  const reason =
    seen.reason === null || kind === 'question' ? [] : wrapped(showInvisible(seen.reason), width - indent.length);
  const what = whatText(seen);
  const left = width - head.length;
  const commands = [
    commandText(chainId, seen.request),
    ...(columns(what) > left ? [`longhand chain show ${chainId} --step ${Number.parseInt(call, 10)}`] : []),
  ];
  return [
    `${c.bold(call.padEnd(5))} ${paint(kind.padEnd(9))} ${cut(what, left)}`,
    ...optionLines(seen, width - indent.length).map((line) => indent + line),
    ...reason.map((line) => indent + line),
    ...wrapped(factsText(seen, now), width - indent.length).map((line) => indent + c.dim(line)),
    ...maskedLines(seen, width - indent.length).map((line) => indent + c.yellow(line)),
    ...commands.flatMap((each) => wrapped(each, width - indent.length)).map((line) => indent + c.dim(line)),
  ];
}

/** For the decision: everything, with the arguments member by member. */
export function requestWhole(seen: RequestView, { c, width, now }: Room): string {
  const { request, tool, input, reason } = seen;
  const why = reason === null ? [] : wrapped(showInvisible(reason), width);
  const asked = request.kind === 'question' ? questionLines(input, width) : callLines(tool, input, { c, width });
  return [
    ...(seen.level === 'full' ? asked : [c.bold(whatText(seen))]),
    '',
    ...(request.kind === 'question' ? [] : why),
    ...wrapped(factsText(seen, now), width).map((line) => c.dim(line)),
    ...maskedLines(seen, width).map((line) => c.yellow(line)),
  ].join('\n');
}

/** The masked part may be what matters. */
function maskedLines({ level, input, request }: RequestView, width: number): readonly string[] {
  const masked = level === 'full' ? countMarks(input) - countMarks(request.input) : 0;
  if (masked <= 0) return [];
  const said = masked === 1 ? '1 value is masked' : `${masked} values are masked`;
  return wrapped(`${said}: see the whole with longhand inbox --as auditor`, width);
}

/** In one line, without its id. */
export function whatText({ request, tool, input, level }: RequestView): string {
  if (tool === null) return 'not shown to this role';
  if (level !== 'full') return toOneLine(showInvisible(tool));
  if (request.kind === 'question') return toOneLine(questionOf(input));
  return `${toOneLine(showInvisible(tool))} ${formatArguments(input)}`.trimEnd();
}

/** `high risk · for release · 1 of 2 have approved · 6 days left` */
export function factsText({ request, notBy }: Pick<RequestView, 'request' | 'notBy'>, now: number): string {
  const { kind, risk, roles, approvers, votes, expiresAt, onExpiry, escalates } = request;
  const then = kind === 'approval' && onExpiry === 'approve' ? ', then approved' : '';
  return [
    ...(kind === 'question' ? [] : [`${risk} risk`]),
    ...(roles.length === 0 ? [] : [`for ${toOneLine(roles.join(', '))}`]),
    ...(notBy === null ? [] : [`not by ${toOneLine(notBy)}`]),
    ...(escalates === null
      ? []
      : [`in ${timeTo(escalates.at, now)} also for ${toOneLine(escalates.roles.join(', '))}`]),
    ...(approvers === 1 ? [] : [`${votes.length} of ${approvers} have approved${whoVoted(votes)}`]),
    expiresAt === null ? 'no end' : `${expiresAt <= now ? 'no time' : timeTo(expiresAt, now)} left${then}`,
  ].join(' · ');
}

/** In whole seconds: nobody decides in less. */
function timeTo(at: number, now: number): string {
  return formatLongDuration(Math.ceil((at - now) / 1_000) * 1_000);
}

function whoVoted(votes: OpenRequest['votes']): string {
  const names = votes.flatMap(({ by }) => by ?? []);
  return names.length === 0 ? '' : `: ${toOneLine(names.join(', '))}`;
}

function questionOf(input: Json): string {
  return showInvisible(findQuestion(input) ?? toValueText(input));
}

function questionLines(input: Json, width: number): readonly string[] {
  return [...wrapped(questionOf(input), width), ...choiceLines(input, width)];
}

function choiceLines(input: Json, width: number): readonly string[] {
  return listChoices(input).map((choice) => cut(`· ${toOneLine(showInvisible(choice))}`, width));
}

function optionLines({ request, level, input }: RequestView, width: number): readonly string[] {
  return request.kind === 'question' && level === 'full' ? choiceLines(input, width) : [];
}

/** Longer values are cut: the whole is in `chain show --step`. */
const mostLines = 12;
const longestName = 20;

function callLines(tool: string | null, input: Json, { c, width }: Pick<Room, 'c' | 'width'>): readonly string[] {
  const head = c.bold(cut(toOneLine(showInvisible(tool ?? '')), width));
  if (!isObject(input)) return [head, `  ${cut(toOneLine(showInvisible(toValueText(input))), width - 2)}`];
  const nameOf = (name: string) => cut(toOneLine(showInvisible(name)), longestName);
  const names = Math.max(0, ...Object.keys(input).map((name) => columns(nameOf(name))));
  const lines = Object.entries(input).flatMap(([name, value]) => {
    const label = `  ${nameOf(name)}${' '.repeat(names - columns(nameOf(name)))}  `;
    const all = wrapped(
      showInvisible(typeof value === 'string' ? value : JSON.stringify(value)),
      Math.max(20, width - columns(label)),
    );
    const shown = all.length > mostLines ? [...all.slice(0, mostLines), `… ${all.length - mostLines} more lines`] : all;
    return shown.map((line, at) => (at === 0 ? c.dim(label) : ' '.repeat(columns(label))) + line);
  });
  return [head, ...lines];
}
