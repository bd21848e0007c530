/** The inbox as text for a person, and as JSON for scripts. */

import { computeWaitingSince, type InboxView, type WaitingChainView } from '../../client/index.js';
import { formatAnswerCommand, formatMinute } from '../../core/engine/index.js';
import { formatUsd, toIsoTime, toOneLine } from '../../core/lib/index.js';
import type { RequestView } from '../../core/view/index.js';
import { formatAge, formatTimeLeft } from '../flags/values.js';
import { getColors } from '../terminal/colors.js';
import type { Terminal } from '../terminal/terminal.js';
import { measureColumns, truncate, wrapText } from '../terminal/text.js';
import { formatRequestLines, type LayoutOptions } from './format-request.js';

/** Formats each waiting chain with its requests below it. */
export function formatInbox(
  { chains, others }: Pick<InboxView, 'chains' | 'others'>,
  { color, width }: Pick<Terminal, 'color' | 'width'>,
  now: number,
): string {
  if (chains.length === 0) return 'Nothing waits for a person.\n';
  const room: LayoutOptions = { c: getColors({ color }), width, now };
  const more = others === 1 ? '1 more chain waits' : `${others} more chains wait`;
  const rest = others === 0 ? [] : [`${more}: --limit ${chains.length + others} shows all.\n`];
  return [
    ...chains.map((chain) =>
      formatChainLines(chain, room)
        .map((line) => `${line}\n`)
        .join(''),
    ),
    ...rest,
  ].join('\n');
}

function formatChainLines(chain: WaitingChainView, room: LayoutOptions): readonly string[] {
  const { c, width, now } = room;
  const { chainId, task, paused, held } = chain;
  const facts = formatChainFacts(chain, now);
  const about = truncate(toOneLine(task), Math.max(10, width - measureColumns(chainId) - 2));
  const inner = { ...room, width: width - 2, chainId };
  return [
    `${c.bold(toOneLine(chainId))}  ${about}`,
    `  ${c.dim(facts)}`,
    ...chain.requests.flatMap((request) => formatRequestLines(request, inner)).map((line) => `  ${line}`),
    ...(paused === null ? [] : formatPauseLines(paused, chainId, room)),
    ...(held === null ? [] : formatHeldLines(held, chainId, room)),
  ];
}

function formatPauseLines(
  { text, at, question }: NonNullable<WaitingChainView['paused']>,
  chainId: string,
  { c, width, now }: LayoutOptions,
): readonly string[] {
  const ago = `${formatAge(now - at)} ago`;
  if (question === null) {
    const line = toOneLine(text).replace(/\.$/, '');
    const start = truncate(line, Math.max(10, width - 11 - measureColumns(ago)));
    return [`  ${c.bold('⏸')}     ${start}${c.dim(` · ${ago}`)}`];
  }
  const until = question.expiresAt === null ? 'no end' : `until ${formatMinute(question.expiresAt)}, then it ends`;
  const [first = '', ...rest] = wrapText(toOneLine(text), Math.max(20, width - 8));
  return [
    `  ${c.bold('?')}     ${first}`,
    ...[...rest, c.dim(`${until} · ${ago}`)].map((line) => `        ${line}`),
    `        ${formatAnswerCommand(chainId, question)}`,
    `        longhand cancel ${chainId}`,
  ];
}

/** The whole text: it names the repair. */
function formatHeldLines(
  { text, by, at, attempts, nextAt, endsAt }: NonNullable<WaitingChainView['held']>,
  chainId: string,
  { c, width, now }: LayoutOptions,
): readonly string[] {
  const next = nextAt === null ? 'an attempt runs' : `next attempt in ${formatTimeLeft(nextAt - now)}`;
  const noun = attempts === 1 ? 'attempt' : 'attempts';
  const failed = `${attempts} ${by === 'worker' ? noun : `failed ${noun}`} in ${formatAge(now - at)}`;
  const facts = `${failed} · ${next} · ends as failure in ${formatTimeLeft(endsAt - now)}`;
  const [first = '', ...rest] = wrapText(toOneLine(text), Math.max(20, width - 8));
  return [
    `  ${c.bold('⏸')}     ${first}`,
    ...rest.map((line) => `        ${line}`),
    `        ${c.dim(facts)}`,
    `        longhand resume ${chainId}`,
  ];
}

/** `deployer · 3 steps · $0.04 · for acme, ann · waits 12m` */
export function formatChainFacts(
  { agent, path, steps, costUsd, tokens, tenant, user, requests, paused, held }: WaitingChainView,
  now: number,
): string {
  const from = computeWaitingSince({ requests: requests.map(({ request }) => request), paused, held });
  const owners = [tenant, user].filter((owner) => owner !== null).map((owner) => toOneLine(owner ?? ''));
  return [
    toOneLine(agent),
    ...(path.length < 2 ? [] : [`below ${path.slice(0, -1).map(toOneLine).join(' → ')}`]),
    `${steps} ${steps === 1 ? 'step' : 'steps'}`,
    costUsd === null ? `${tokens} tokens` : formatUsd(costUsd),
    ...(owners.length === 0 ? [] : [`for ${owners.join(', ')}`]),
    `waits ${formatAge(now - from)}`,
  ].join(' · ');
}

/** The inbox as JSON. Members keep their names and meaning; new ones may be added. Times are ISO 8601 in UTC. */
export function toInboxJson({ chains, others }: Pick<InboxView, 'chains' | 'others'>) {
  return {
    chains: chains.map(({ chainId, path, agent, task, tenant, user, ...rest }) => ({
      chainId,
      path,
      agent,
      task,
      tenant,
      user,
      startedAt: toIsoTime(rest.startedAt),
      steps: rest.steps,
      tokens: rest.tokens,
      costUsd: rest.costUsd,
      timeLeftMs: rest.timeLeftMs,
      paused:
        rest.paused === null
          ? null
          : { ...rest.paused, at: toIsoTime(rest.paused.at), question: toQuestionJson(rest.paused.question) },
      held:
        rest.held === null
          ? null
          : {
              ...rest.held,
              at: toIsoTime(rest.held.at),
              nextAt: rest.held.nextAt === null ? null : toIsoTime(rest.held.nextAt),
              endsAt: toIsoTime(rest.held.endsAt),
            },
      requests: rest.requests.map(toRequestJson),
    })),
    more: others > 0,
    others,
  };
}

function toQuestionJson(question: NonNullable<WaitingChainView['paused']>['question']) {
  if (question === null) return null;
  return { ...question, expiresAt: question.expiresAt === null ? null : toIsoTime(question.expiresAt) };
}

function toRequestJson({ request, level, tool, input, reason }: RequestView) {
  const { call, kind, digest, risk, roles, byRequester, approvers, votes, onExpiry } = request;
  const { askedAt, expiresAt, escalates } = request;
  return {
    call,
    kind,
    level,
    tool,
    input,
    reason,
    digest,
    risk,
    roles,
    byRequester,
    approvers,
    votes,
    askedAt: toIsoTime(askedAt),
    expiresAt: expiresAt === null ? null : toIsoTime(expiresAt),
    onExpiry,
    escalates: escalates === null ? null : { at: toIsoTime(escalates.at), roles: escalates.roles },
  };
}
