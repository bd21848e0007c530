/**
 * A gateway under load: many followers of some chains, gateways that are killed again and again, and many starts.
 *
 * Gateways and clients run in processes of their own. An event's time is that of its history, on the same machine's clock.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../src/cli/server/ports.js';
import { createViewer } from '../../src/core/view/visibility.js';
import { formatPositionId } from '../../src/gateway/streams/position-id.js';
import { getEventId, getEventTimeMs } from '../../src/history/event.js';
import type { Case, CaseOptions } from '../case.js';
import { between, type Expected } from '../plausible.js';
import { promises } from '../promises.js';
import { round } from '../repeat.js';
import { cell } from '../report.js';
import { type Child, startChild } from '../rig/child.js';
import type { ChainFacts, ClientsAnswer, ClientsQuestion } from '../rig/gateway-clients.js';
import type { GatewayAnswer, GatewayPlace } from '../rig/gateway-process.js';
import { listRuns, readRuns } from '../rig/runs.js';
import { taskOf } from '../rig/task.js';

interface GatewaySize {
  readonly chains: number;
  readonly followersOfChain: number;
  /** Of each chain. */
  readonly steps: number;
  /** Milliseconds that the model thinks before each step. */
  readonly pauseMs: number;
  readonly killEveryMs: number;
  readonly starts: { readonly perSecond: number; readonly seconds: number };
  /** Required values. */
  readonly most: { readonly p99Ms: number; readonly kbPerFollower: number };
}

export interface GatewayRow {
  /** `follow`: one gateway. `restarts`: two, one of which is killed at each turn. `starts`: requests at a rate. */
  readonly stage: 'follow' | 'restarts' | 'starts';
  readonly chains: number;
  /** 0 for starts. */
  readonly followers: number;
  /** Events that all followers received; answers to starts. */
  readonly received: number;
  /** Events that a follower did not receive; starts that failed. */
  readonly lost: number;
  readonly doubled: number;
  readonly kills: number;
  /** Milliseconds from an event to its follower, or from a start to its answer. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Growth of the gateway's heap and buffers, with all that it has read for them; null where it was not measured. */
  readonly kbPerFollower: number | null;
  /** The same of its resident memory, in which garbage of the load stays. */
  readonly residentKbPerFollower: number | null;
}

const notMeasured = { kbPerFollower: null, residentKbPerFollower: null };

export const gateway: Case<GatewayRow, GatewaySize> = {
  full: {
    ...{ chains: 50, followersOfChain: 20, steps: 12, pauseMs: 8_000, killEveryMs: 5_000 },
    starts: { perSecond: 200, seconds: 10 },
    most: { p99Ms: promises.eventP99Ms, kbPerFollower: promises.followerKb },
  },
  smoke: {
    ...{ chains: 3, followersOfChain: 4, steps: 5, pauseMs: 1_500, killEveryMs: 3_000 },
    starts: { perSecond: 20, seconds: 2 },
    // Few followers share what a gateway needs for itself, and on a busy machine only a gross delay is certain.
    most: { p99Ms: 5_000, kbPerFollower: 50_000 },
  },
  measure: async (options, size) => {
    const clients = startChild<ClientsAnswer>('./gateway-clients.ts', []);
    try {
      return [
        await measureFollowers(options, size, clients),
        await measureRestarts(options, size, clients),
        await measureStarts(options, size, clients),
      ];
    } finally {
      await clients.stop();
    }
  },
  columns: [
    ['stage', (row) => row.stage],
    ['chains', (row) => String(row.chains)],
    ['followers', (row) => String(row.followers)],
    ['received', (row) => String(row.received)],
    ['lost', (row) => String(row.lost)],
    ['doubled', (row) => String(row.doubled)],
    ['kills', (row) => String(row.kills)],
    ['p50 ms', (row) => row.p50Ms.toFixed(1)],
    ['p99 ms', (row) => row.p99Ms.toFixed(1)],
    ['KB per follower', (row) => cell(row.kbPerFollower, 1)],
    ['resident', (row) => cell(row.residentKbPerFollower, 1)],
  ],
  expected: ({ chains, followersOfChain, steps, starts }) => {
    const followers = chains * followersOfChain;
    const count = between(0, 1_000_000_000);
    const rest = { lost: count, doubled: count, p50Ms: between(0, 600_000), p99Ms: between(0.1, 600_000) };
    const followed = (stage: GatewayRow['stage']): Expected<GatewayRow> => ({
      ...{ stage, chains, followers, ...rest, kills: 0, ...notMeasured },
      // A step has a call and its result, the last one an answer.
      received: between(followers * steps, followers * steps * 20),
    });
    return [
      { ...followed('follow'), kbPerFollower: between(0, 1_000_000), residentKbPerFollower: between(0, 1_000_000) },
      { ...followed('restarts'), kills: between(1, 1_000) },
      {
        ...{ stage: 'starts', chains: starts.perSecond * starts.seconds, followers: 0, ...rest, kills: 0 },
        ...{ received: count, ...notMeasured },
      },
    ];
  },
  contradictions: (rows) =>
    rows.flatMap(({ stage, p50Ms, p99Ms }) =>
      p50Ms <= p99Ms ? [] : [`${stage}: p50 is ${p50Ms} ms, above p99, ${p99Ms} ms.`],
    ),
  misses: (rows, { most }) =>
    rows.flatMap(({ stage, lost, doubled, p99Ms, kbPerFollower }) => [
      ...(lost === 0 ? [] : [`${stage}: ${lost} are lost; required: 0.`]),
      ...(doubled === 0 ? [] : [`${stage}: ${doubled} are doubled; required: 0.`]),
      ...(stage !== 'follow' || p99Ms <= most.p99Ms
        ? []
        : [`${stage}: 99 % of the events arrive within ${p99Ms} ms; required: ${most.p99Ms} ms.`]),
      ...(kbPerFollower === null || kbPerFollower <= most.kbPerFollower
        ? []
        : [`${stage}: a follower needs ${kbPerFollower} KB; required: ${most.kbPerFollower} KB.`]),
    ]),
  findings: (rows, { most, starts }) => {
    const [follow, restarts, started] = rows;
    if (!follow || !restarts || !started) return [];
    return [
      `From event to client, with ${follow.followers} followers of ${follow.chains} chains: p50 ${follow.p50Ms} ms, p99 ${follow.p99Ms} ms (at most ${most.p99Ms} ms). A follower needs ${follow.kbPerFollower ?? 0} KB (at most ${most.kbPerFollower} KB); resident memory grew by ${follow.residentKbPerFollower ?? 0} KB each.`,
      `With ${restarts.kills} kills of gateways: ${restarts.received} events received, ${restarts.lost} lost, ${restarts.doubled} doubled.`,
      `Of ${started.chains} starts at ${starts.perSecond} per second, ${started.received} were accepted: p99 ${started.p99Ms} ms.`,
    ];
  },
};

type Clients = Child<ClientsAnswer>;

async function measureFollowers(
  { rig: { longhand, address }, progress }: CaseOptions,
  size: GatewaySize,
  clients: Clients,
): Promise<GatewayRow> {
  const { process: own, url } = await startGateway({ address, port: await findFreePort() });
  try {
    // What the first requests load and compile is not the followers'.
    const warm = await startChains(longhand, { ...size, chains: 1, steps: 2, pauseMs: 200 }, 'gateway-warm');
    await follow(clients, [url], warm, Math.min(20, size.followersOfChain));
    await report(clients, longhand, warm);
    const before = await readMemory(own);
    const chains = await startChains(longhand, size, 'gateway-follow');
    await follow(clients, [url], chains, size.followersOfChain);
    progress(`${chains.length * size.followersOfChain} followers are connected`);
    await sleep((size.steps * size.pauseMs) / 2);
    const during = await readMemory(own);
    const found = await report(clients, longhand, chains);
    const followers = chains.length * size.followersOfChain;
    const grow = (kind: keyof typeof before) => round(Math.max(0, during[kind] - before[kind]) / 1_024 / followers, 1);
    const memory = { kbPerFollower: grow('heap'), residentKbPerFollower: grow('resident') };
    progress(
      `p99 ${found.p99Ms} ms; ${memory.kbPerFollower} KB, resident ${memory.residentKbPerFollower} KB per follower`,
    );
    const { received, lost, doubled, p50Ms, p99Ms } = found;
    return {
      ...{ stage: 'follow', chains: chains.length, followers, received, lost, doubled, kills: 0 },
      ...{ p50Ms, p99Ms, ...memory },
    };
  } finally {
    await own.stop('stop');
  }
}

async function measureRestarts(
  { rig: { longhand, address }, progress }: CaseOptions,
  size: GatewaySize,
  clients: Clients,
): Promise<GatewayRow> {
  const places = await Promise.all([1, 2].map(async () => ({ address, port: await findFreePort() })));
  const running = await Promise.all(places.map(startGateway));
  const urls = running.map(({ url }) => url);
  let kills = 0;
  const stopping = new AbortController();
  const kill = async () => {
    for (let turn = 0; !stopping.signal.aborted; turn = (turn + 1) % running.length) {
      const began = Date.now();
      await running[turn]?.process.kill();
      kills += 1;
      const place = places[turn];
      if (place !== undefined) running[turn] = await startGateway(place);
      const rest = size.killEveryMs - (Date.now() - began);
      await sleep(Math.max(0, rest), undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  let killing: Promise<void> = Promise.resolve();
  try {
    const chains = await startChains(longhand, size, 'gateway-restarts');
    await follow(clients, urls, chains, size.followersOfChain);
    killing = kill();
    const found = await report(clients, longhand, chains);
    progress(`${kills} kills, ${found.connections} connections: ${found.lost} lost, ${found.doubled} doubled`);
    const { received, lost, doubled, p50Ms, p99Ms } = found;
    return {
      ...{ stage: 'restarts', chains: chains.length, followers: chains.length * size.followersOfChain },
      ...{ received, lost, doubled, kills, p50Ms, p99Ms, ...notMeasured },
    };
  } finally {
    stopping.abort();
    await killing;
    await Promise.all(running.map((each) => each.process.stop('stop')));
  }
}

async function measureStarts(
  { rig: { address }, progress }: CaseOptions,
  { starts }: GatewaySize,
  clients: Clients,
): Promise<GatewayRow> {
  const { process: own, url } = await startGateway({ address, port: await findFreePort() });
  try {
    const started = await ask(clients, { type: 'start', url, agent: 'stock_taker', task: taskOf(0), ...starts });
    if (started.type !== 'started') throw new Error('The clients answered out of turn.');
    const { accepted, failed, perSecond, p50Ms, p99Ms } = started;
    progress(`${accepted} starts accepted, ${perSecond} per second, p99 ${p99Ms} ms`);
    return {
      ...{ stage: 'starts', chains: starts.perSecond * starts.seconds, followers: 0, received: accepted },
      ...{ lost: failed, doubled: 0, kills: 0, p50Ms, p99Ms, ...notMeasured },
    };
  } finally {
    await own.stop('stop');
  }
}

interface RunningGateway {
  readonly process: Child<GatewayAnswer>;
  readonly url: string;
}

/** Chains that it starts wait: no worker polls their queue, so that only the gateway and the server have work. */
async function startGateway(place: Omit<GatewayPlace, 'taskQueue'>): Promise<RunningGateway> {
  const given: GatewayPlace = { ...place, taskQueue: 'gateway-starts' };
  const child = startChild<GatewayAnswer>('./gateway-process.ts', [JSON.stringify(given)]);
  const answer = await child.answer();
  if (answer.type !== 'ready') throw new Error('The gateway answered out of turn.');
  return { process: child, url: answer.url };
}

async function readMemory(child: Child<GatewayAnswer>): Promise<{ readonly resident: number; readonly heap: number }> {
  const answer = await child.ask('memory');
  if (answer.type !== 'memory') throw new Error('The gateway answered out of turn.');
  return answer;
}

type Rig = CaseOptions['rig'];

/** Starts chains evenly over the time of a step, so that their steps do not fall together. */
async function startChains(
  longhand: Rig['longhand'],
  { chains, steps, pauseMs }: Pick<GatewaySize, 'chains' | 'steps' | 'pauseMs'>,
  name: string,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let nth = 0; nth < chains; nth += 1) {
    const chainId = `${name}-${nth}`;
    await longhand.start('stock_taker', taskOf(steps - 1, { pauseMs }), { chainId });
    ids.push(chainId);
    await sleep(pauseMs / chains);
  }
  return ids;
}

async function ask(clients: Clients, question: ClientsQuestion): Promise<ClientsAnswer> {
  // The messages of both sides are plain data.
  return clients.ask(question as unknown as Parameters<Clients['ask']>[0]);
}

async function follow(
  clients: Clients,
  urls: readonly string[],
  chains: readonly string[],
  followersOfChain: number,
): Promise<void> {
  await ask(clients, { type: 'follow', urls, chains, followersOfChain });
}

/** Waits for the end of the chains, and compares what the followers received with their histories. */
async function report(clients: Clients, longhand: Rig['longhand'], chains: readonly string[]) {
  const facts: Record<string, ChainFacts> = {};
  for (const chainId of chains) {
    await longhand.getHandle(chainId).result();
    facts[chainId] = await readFacts(longhand, chainId);
  }
  const answer = await ask(clients, { type: 'report', chains: facts });
  if (answer.type !== 'report') throw new Error('The clients answered out of turn.');
  return answer;
}

async function readFacts(longhand: Rig['longhand'], chainId: string): Promise<ChainFacts> {
  const ids: string[] = [];
  for await (const event of longhand.getHandle(chainId).watch(createViewer('developer')))
    ids.push(formatPositionId(event));
  const runs = await listRuns(longhand.client, chainId);
  const histories = await readRuns(longhand.client, runs);
  const times = histories.flatMap((events, run) =>
    events.flatMap((event) =>
      event.workflowTaskCompletedEventAttributes
        ? [[`${runs[run]?.runId}.${getEventId(event)}`, getEventTimeMs(event)] as const]
        : [],
    ),
  );
  return { ids, times: Object.fromEntries(times) };
}
