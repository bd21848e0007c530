/** The clients of gateways, in a process of their own: followers that connect again after a loss, and starts at a rate. */

import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { percentile, round } from '../repeat.js';

export interface FollowQuestion {
  readonly type: 'follow';
  /** Gateways that a follower knows. It connects to the next one after a loss. */
  readonly urls: readonly string[];
  readonly chains: readonly string[];
  readonly followersOfChain: number;
}

export interface ReportQuestion {
  readonly type: 'report';
  readonly chains: { readonly [chainId: string]: ChainFacts };
}

/** What has happened to a chain, as its history has it. */
export interface ChainFacts {
  /** Of all events, in order. */
  readonly ids: readonly string[];
  /** When events were recorded, by run and event: `<runId>.<eventId>`. */
  readonly times: { readonly [event: string]: number };
}

export interface StartQuestion {
  readonly type: 'start';
  readonly url: string;
  readonly agent: string;
  readonly task: string;
  readonly perSecond: number;
  readonly seconds: number;
}

export type ClientsQuestion = FollowQuestion | ReportQuestion | StartQuestion;

export type ClientsAnswer =
  /** Each follower has received its first event. */
  | { readonly type: 'following' }
  | ({ readonly type: 'report' } & FollowReport)
  | ({ readonly type: 'started' } & StartReport);

export interface FollowReport {
  readonly received: number;
  readonly lost: number;
  readonly doubled: number;
  readonly connections: number;
  /** Milliseconds from the event to its follower, for events that happened while it was connected. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface StartReport {
  readonly accepted: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the answers. */
  readonly perSecond: number;
}

interface Received {
  readonly id: string;
  readonly at: number;
  /** When the connection that carried it was opened. */
  readonly connectedAt: number;
}

interface Follower {
  readonly chainId: string;
  readonly events: Received[];
  connections: number;
  readonly ended: Promise<void>;
}

let followers: readonly Follower[] = [];

process.on('message', (question: ClientsQuestion) => {
  void answer(question).then((answered) => process.send?.(answered));
});
process.once('disconnect', () => process.exit(0));

async function answer(question: ClientsQuestion): Promise<ClientsAnswer> {
  switch (question.type) {
    case 'follow':
      await followAll(question);
      return { type: 'following' };
    case 'report':
      await Promise.all(followers.map(({ ended }) => ended));
      return { type: 'report', ...report(question) };
    case 'start':
      return { type: 'started', ...(await startChains(question)) };
  }
}

/** Connections that are opened at once. */
const connectingAtOnce = 50;

async function followAll({ urls, chains, followersOfChain }: FollowQuestion): Promise<void> {
  const begun: Promise<void>[] = [];
  const made: Follower[] = [];
  for (const [nth, chainId] of Array.from({ length: followersOfChain }, () => chains)
    .flat()
    .entries()) {
    const follower = startFollower(urls, chainId, nth);
    made.push(follower.follower);
    begun.push(follower.begun);
    if ((nth + 1) % connectingAtOnce === 0) await Promise.all(begun);
  }
  await Promise.all(begun);
  followers = made;
}

function startFollower(urls: readonly string[], chainId: string, nth: number) {
  let markBegun = () => {};
  const begun = new Promise<void>((resolve) => {
    markBegun = resolve;
  });
  const events: Received[] = [];
  const follower = { chainId, events, connections: 0, ended: Promise.resolve() };
  const read = async () => {
    for (let at = nth, isOver = false; !isOver; at += 1) {
      follower.connections += 1;
      const url = `${urls[at % urls.length]}/v1/chains/${chainId}/events?as=developer`;
      isOver = await readOnce(url, events, markBegun);
      // As many as the kill has cut off connect again at once.
      if (!isOver) await sleep(50 + Math.random() * 200);
    }
  };
  follower.ended = read();
  return { follower, begun };
}

/** @returns whether the chain has ended */
function readOnce(url: string, events: Received[], onEvent: () => void): Promise<boolean> {
  return new Promise((resolve) => {
    const last = events.at(-1)?.id;
    let isOver = false;
    const request = get(url, { agent: false, headers: last === undefined ? {} : { 'last-event-id': last } });
    const end = () => resolve(isOver);
    request.on('error', end);
    request.on('response', (response) => {
      const { statusCode } = response;
      if (statusCode === 204) isOver = true;
      // A gateway that stops answers 503; anything else would be so for ever.
      else if (statusCode !== 200 && statusCode !== 503) throw new Error(`A gateway answered with ${statusCode}.`);
      const connectedAt = Date.now();
      const parser = createParser({
        onEvent: ({ id, event }) => {
          if (id === undefined) return;
          events.push({ id, at: Date.now(), connectedAt });
          isOver ||= event === 'view-completed';
          onEvent();
        },
      });
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        if (statusCode === 200) parser.feed(text);
      });
      response.on('close', end);
      response.on('error', end);
    });
  });
}

function report({ chains }: ReportQuestion): FollowReport {
  let [received, lost, doubled, connections] = [0, 0, 0, 0];
  const delays: number[] = [];
  for (const { chainId, events, connections: opened } of followers) {
    const { ids = [], times = {} } = chains[chainId] ?? {};
    const seen = new Set(events.map(({ id }) => id));
    received += events.length;
    connections += opened;
    lost += ids.filter((id) => !seen.has(id)).length;
    // Out of order counts as well.
    const ordered = events.filter(({ id }, at) => ids[at] === id).length;
    doubled += Math.max(events.length - seen.size, seen.size === ids.length ? events.length - ordered : 0);
    for (const { id, at, connectedAt } of events) {
      const happened = times[id.slice(0, id.lastIndexOf('.'))];
      if (happened !== undefined && happened > connectedAt) delays.push(at - happened);
    }
  }
  return { received, lost, doubled, connections, ...summarize(delays) };
}

async function startChains({ url, agent, task, perSecond, seconds }: StartQuestion): Promise<StartReport> {
  const began = performance.now();
  const taken: number[] = [];
  let failed = 0;
  const startOne = async () => {
    const sent = performance.now();
    const response = await fetch(`${url}/v1/chains`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent, task }),
    }).catch(() => null);
    await response?.text();
    if (response?.status === 201) taken.push(performance.now() - sent);
    else failed += 1;
  };
  const starts: Promise<void>[] = [];
  for (let nth = 0; nth < perSecond * seconds; nth += 1) {
    const due = began + (nth * 1_000) / perSecond;
    const early = due - performance.now();
    if (early > 1) await sleep(early);
    starts.push(startOne());
  }
  await Promise.all(starts);
  const tookSeconds = (performance.now() - began) / 1_000;
  return { accepted: taken.length, failed, perSecond: round(starts.length / tookSeconds, 1), ...summarize(taken) };
}

function summarize(times: readonly number[]): { readonly p50Ms: number; readonly p99Ms: number } {
  return { p50Ms: round(percentile(times, 0.5), 1), p99Ms: round(percentile(times, 0.99), 1) };
}
