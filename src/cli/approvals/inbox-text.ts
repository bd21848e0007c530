/** The inbox in lines for a person: each chain, and under it what it waits for. */

import { usd } from '../../core/lib/display.js';
import { oneLine } from '../../core/lib/plain.js';
import { age } from '../flags/when.js';
import { colorsFor } from '../terminal/colors.js';
import type { Terminal } from '../terminal/terminal.js';
import { columns, cut } from '../terminal/text.js';
import { type Room, requestLines } from './request-text.js';
import type { SeenChain, SeenInbox } from './seen-chain.js';

export function inboxText(
  { chains, others }: Pick<SeenInbox, 'chains' | 'others'>,
  { color, width }: Pick<Terminal, 'color' | 'width'>,
  now: number,
): string {
  if (chains.length === 0) return 'Nothing waits for a person.\n';
  const room: Room = { c: colorsFor({ color }), width, now };
  const more = others === 1 ? 'One more chain waits, not for longer' : `${others} more chains wait, none for longer`;
  const rest = others === 0 ? [] : [`${more}: --limit ${chains.length + others} shows all.\n`];
  return [
    ...chains.map((chain) =>
      chainLines(chain, room)
        .map((line) => `${line}\n`)
        .join(''),
    ),
    ...rest,
  ].join('\n');
}

function chainLines(chain: SeenChain, room: Room): readonly string[] {
  const { c, width, now } = room;
  const { chainId, task, paused } = chain;
  const facts = factsOf(chain, now);
  const about = cut(oneLine(task), Math.max(10, width - columns(chainId) - 2));
  const inner = { ...room, width: width - 2, chainId };
  return [
    `${c.bold(oneLine(chainId))}  ${about}`,
    `  ${c.dim(facts)}`,
    ...chain.requests.flatMap((seen) => requestLines(seen, inner)).map((line) => `  ${line}`),
    ...(paused === null ? [] : [pausedLine(paused, room)]),
  ];
}

function pausedLine({ text, at }: NonNullable<SeenChain['paused']>, { c, width, now }: Room): string {
  const ago = ` · ${age(now - at)} ago`;
  const words = oneLine(text).replace(/\.$/, '');
  return `  ${c.bold('⏸')}     ${cut(words, Math.max(10, width - 8 - columns(ago)))}${c.dim(ago)}`;
}

/** `deployer · 3 steps · $0.04 · for acme, ann · waits 12m` */
export function factsOf(
  { agent, path, steps, costUsd, tokens, tenant, user, requests, paused }: SeenChain,
  now: number,
): string {
  const from = Math.min(...requests.map(({ request }) => request.askedAt), paused?.at ?? Number.POSITIVE_INFINITY);
  const whose = [tenant, user].filter((one) => one !== null).map((one) => oneLine(one ?? ''));
  return [
    oneLine(agent),
    ...(path.length < 2 ? [] : [`below ${path.slice(0, -1).map(oneLine).join(' → ')}`]),
    `${steps} ${steps === 1 ? 'step' : 'steps'}`,
    costUsd === null ? `${tokens} tokens` : usd(costUsd),
    ...(whose.length === 0 ? [] : [`for ${whose.join(', ')}`]),
    `waits ${age(now - from)}`,
  ].join(' · ');
}
