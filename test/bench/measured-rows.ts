/** Rows that a smoke run of each case has measured. */

import type { CacheRow } from '../../bench/cases/cache.js';
import type { ContextRow } from '../../bench/cases/context.js';
import type { DecideRow } from '../../bench/cases/decide.js';
import type { FanOutRow } from '../../bench/cases/fanout.js';
import type { GatewayRow } from '../../bench/cases/gateway.js';
import type { LongRow } from '../../bench/cases/long.js';
import type { ManyRow } from '../../bench/cases/many.js';
import type { OverheadRow } from '../../bench/cases/overhead.js';
import type { ReadRow } from '../../bench/cases/read.js';
import type { SystemRow } from '../../bench/cases/rounds.js';
import type { StoreRow } from '../../bench/cases/store.js';
import type { TokensRow } from '../../bench/cases/tokens.js';
import type { ToolsRow } from '../../bench/cases/tools.js';
import type { WaitingRow } from '../../bench/cases/waiting.js';
import type { WorkersRow } from '../../bench/cases/workers.js';

export const historyRows: readonly SystemRow[] = [
  {
    system: 'longhand',
    placement: 'activity',
    chains: 1,
    steps: 5,
    bytesPerStep: 5146.8,
    eventsPerStep: 13.4,
    cpuMsPerStep: 23.55,
    msPerStep: 40.24,
    stepsPerSecond: 24.85,
    completed: true,
  },
  {
    system: 'longhand',
    placement: 'local',
    chains: 1,
    steps: 5,
    bytesPerStep: 4677.4,
    eventsPerStep: 9.4,
    cpuMsPerStep: 22.75,
    msPerStep: 33.25,
    stepsPerSecond: 30.06,
    completed: true,
  },
  {
    system: 'hand-written',
    placement: null,
    chains: 1,
    steps: 5,
    bytesPerStep: 8225.2,
    eventsPerStep: 11.8,
    cpuMsPerStep: 17.92,
    msPerStep: 29.15,
    stepsPerSecond: 34.31,
    completed: true,
  },
  {
    system: 'longhand',
    placement: 'activity',
    chains: 1,
    steps: 8,
    bytesPerStep: 5056.4,
    eventsPerStep: 12.875,
    cpuMsPerStep: 23.77,
    msPerStep: 36.85,
    stepsPerSecond: 27.14,
    completed: true,
  },
  {
    system: 'longhand',
    placement: 'local',
    chains: 1,
    steps: 8,
    bytesPerStep: 4531,
    eventsPerStep: 8.5,
    cpuMsPerStep: 20.07,
    msPerStep: 28.28,
    stepsPerSecond: 35.36,
    completed: true,
  },
  {
    system: 'hand-written',
    placement: null,
    chains: 1,
    steps: 8,
    bytesPerStep: 11895.5,
    eventsPerStep: 11.875,
    cpuMsPerStep: 12.49,
    msPerStep: 23.38,
    stepsPerSecond: 42.75,
    completed: true,
  },
  {
    system: 'longhand',
    placement: 'activity',
    chains: 1,
    steps: 11,
    bytesPerStep: 5016.5,
    eventsPerStep: 12.636,
    cpuMsPerStep: 18.47,
    msPerStep: 43.75,
    stepsPerSecond: 22.86,
    completed: true,
  },
  {
    system: 'longhand',
    placement: 'local',
    chains: 1,
    steps: 11,
    bytesPerStep: 4478.5,
    eventsPerStep: 8.091,
    cpuMsPerStep: 16.17,
    msPerStep: 30.27,
    stepsPerSecond: 33.04,
    completed: true,
  },
  {
    system: 'hand-written',
    placement: null,
    chains: 1,
    steps: 11,
    bytesPerStep: 15468.2,
    eventsPerStep: 11.909,
    cpuMsPerStep: 14.5,
    msPerStep: 33.26,
    stepsPerSecond: 30.06,
    completed: true,
  },
  {
    system: 'longhand',
    placement: 'activity',
    chains: 1,
    steps: 40,
    bytesPerStep: 7326.3,
    eventsPerStep: 13.075,
    cpuMsPerStep: 23.33,
    msPerStep: 83.51,
    stepsPerSecond: 11.97,
    completed: true,
  },
  {
    system: 'longhand',
    placement: 'local',
    chains: 1,
    steps: 40,
    bytesPerStep: 5212.1,
    eventsPerStep: 7.625,
    cpuMsPerStep: 17.71,
    msPerStep: 56.83,
    stepsPerSecond: 17.6,
    completed: true,
  },
];

export const concurrentRows: readonly SystemRow[] = [
  {
    system: 'longhand',
    placement: 'activity',
    chains: 6,
    steps: 8,
    bytesPerStep: 5064.7,
    eventsPerStep: 12.875,
    cpuMsPerStep: 13.95,
    msPerStep: 117.66,
    stepsPerSecond: 49.6,
    completed: true,
  },
  {
    system: 'longhand',
    placement: 'local',
    chains: 6,
    steps: 8,
    bytesPerStep: 4543.5,
    eventsPerStep: 8.5,
    cpuMsPerStep: 12.88,
    msPerStep: 108.01,
    stepsPerSecond: 52.21,
    completed: true,
  },
  {
    system: 'hand-written',
    placement: null,
    chains: 6,
    steps: 8,
    bytesPerStep: 11901.5,
    eventsPerStep: 11.875,
    cpuMsPerStep: 11.02,
    msPerStep: 115.47,
    stepsPerSecond: 50.57,
    completed: true,
  },
];

export const readRows: readonly ReadRow[] = [
  { what: 'fold', steps: 30, ms: 35.9, cpuMs: 11.5, p50Ms: null, p99Ms: null },
  { what: 'floor', steps: 30, ms: 1.9, cpuMs: 1.8, p50Ms: null, p99Ms: null },
  { what: 'fetch', steps: 30, ms: 44.2, cpuMs: 10.4, p50Ms: null, p99Ms: null },
  { what: 'fetch+fold', steps: 30, ms: 134.3, cpuMs: 34.2, p50Ms: null, p99Ms: null },
  { what: 'show-last', steps: 30, ms: 139.2, cpuMs: 28.2, p50Ms: null, p99Ms: null },
  { what: 'view-last', steps: 30, ms: 121.4, cpuMs: 31.7, p50Ms: null, p99Ms: null },
  { what: 'show-part', steps: 30, ms: 31.6, cpuMs: 9.4, p50Ms: null, p99Ms: null },
  { what: 'fold', steps: 30, ms: 51.8, cpuMs: 13, p50Ms: null, p99Ms: null },
  { what: 'fold', steps: 300, ms: 265.6, cpuMs: 92.5, p50Ms: null, p99Ms: null },
  { what: 'raw-long-poll', steps: 4, ms: null, cpuMs: null, p50Ms: 8, p99Ms: 157 },
  { what: 'follow', steps: 4, ms: null, cpuMs: null, p50Ms: 7, p99Ms: 280 },
];

export const fanOutRows: readonly FanOutRow[] = [
  { system: 'longhand', children: 8, ms: 1321, cpuMs: 317, parentBytesPerChild: 3245 },
  { system: 'bare', children: 8, ms: 497, cpuMs: 155, parentBytesPerChild: 1212 },
];

export const longRows: readonly LongRow[] = [
  { conversation: 'whole', step: 15, run: 2, msPerStep: 44, bytesPerStep: 6427 },
  { conversation: 'whole', step: 30, run: 3, msPerStep: 58.5, bytesPerStep: 6775 },
  { conversation: 'whole', step: 45, run: 4, msPerStep: 48, bytesPerStep: 6795 },
  { conversation: 'without observations', step: 15, run: 2, msPerStep: 41, bytesPerStep: 4385 },
  { conversation: 'without observations', step: 30, run: 3, msPerStep: 45, bytesPerStep: 4733 },
  { conversation: 'without observations', step: 45, run: 4, msPerStep: 44, bytesPerStep: 4753 },
  { conversation: 'summarized', step: 15, run: 2, msPerStep: 42, bytesPerStep: 6427 },
  { conversation: 'summarized', step: 30, run: 3, msPerStep: 48, bytesPerStep: 6775 },
  { conversation: 'summarized', step: 45, run: 4, msPerStep: 46, bytesPerStep: 6795 },
];

export const storeRows: readonly StoreRow[] = [
  { database: 'sqlite', what: 'read', ms: 25.1, cpuMs: 13.5, bytes: 11329 },
  { database: 'sqlite', what: 'first-20', ms: 9.6, cpuMs: 9.6, bytes: null },
  { database: 'sqlite', what: 'disk-per-100-steps', ms: null, cpuMs: null, bytes: 135168 },
  { database: 'sqlite', what: 'search', ms: 0.7, cpuMs: 0.7, bytes: null },
  { database: 'postgres', what: 'read', ms: 11.8, cpuMs: 10.5, bytes: 11329 },
  { database: 'postgres', what: 'first-20', ms: 21.5, cpuMs: 19.9, bytes: null },
  { database: 'postgres', what: 'disk-per-100-steps', ms: null, cpuMs: null, bytes: 114688 },
  { database: 'postgres', what: 'search', ms: 1.4, cpuMs: 0.7, bytes: null },
];

export const decideRows: readonly DecideRow[] = [
  { what: 'decision', p50Ms: 19.8, p99Ms: 41.4 },
  { what: 'bare-update', p50Ms: 11.8, p99Ms: 24.8 },
];

export const overheadRows: readonly OverheadRow[] = [
  { system: 'longhand', steps: 4, totalMs: 190, startMs: 41, stepsMs: 134, closeMs: 11, resultMs: 4 },
  { system: 'hand-written', steps: 4, totalMs: 128, startMs: 16, stepsMs: 100, closeMs: 8, resultMs: 4 },
];

export const contextRows: readonly ContextRow[] = [
  {
    compaction: 'model',
    steps: 25,
    windowTokens: 8000,
    longestTokens: 4946,
    compactions: 2,
    notesCalls: 2,
    notesShare: 0.1284,
    asked: 6,
    known: 6,
  },
  {
    compaction: 'rule',
    steps: 25,
    windowTokens: 8000,
    longestTokens: 4805,
    compactions: 2,
    notesCalls: 0,
    notesShare: 0,
    asked: 6,
    known: 2,
  },
];

export const cacheRows: readonly CacheRow[] = [
  {
    chain: 'tools',
    wire: 'messages',
    requests: 8,
    inputTokens: 17276,
    readShare: 0.75,
    twoBreakpointsShare: 0.75,
    prefixShare: 0.781,
    cost: 0.35,
  },
  {
    chain: 'react',
    wire: 'messages',
    requests: 8,
    inputTokens: 20930,
    readShare: 0.782,
    twoBreakpointsShare: 0.782,
    prefixShare: 0.8,
    cost: 0.31,
  },
  {
    chain: 'plan',
    wire: 'messages',
    requests: 8,
    inputTokens: 21356,
    readShare: 0.784,
    twoBreakpointsShare: 0.784,
    prefixShare: 0.802,
    cost: 0.31,
  },
  {
    chain: 'notes',
    wire: 'messages',
    requests: 8,
    inputTokens: 21538,
    readShare: 0.616,
    twoBreakpointsShare: 0.217,
    prefixShare: 0.645,
    cost: 0.51,
  },
  {
    chain: 'parallel',
    wire: 'messages',
    requests: 8,
    inputTokens: 17697,
    readShare: 0.75,
    twoBreakpointsShare: 0,
    prefixShare: 0.786,
    cost: 0.35,
  },
  {
    chain: 'steered',
    wire: 'messages',
    requests: 8,
    inputTokens: 17304,
    readShare: 0.75,
    twoBreakpointsShare: 0.75,
    prefixShare: 0.781,
    cost: 0.35,
  },
  {
    chain: 'compacted',
    wire: 'messages',
    requests: 8,
    inputTokens: 17304,
    readShare: 0.75,
    twoBreakpointsShare: 0.75,
    prefixShare: 0.781,
    cost: 0.39,
  },
  {
    chain: 'tools',
    wire: 'chat',
    requests: 8,
    inputTokens: 17628,
    readShare: null,
    twoBreakpointsShare: null,
    prefixShare: 0.76,
    cost: null,
  },
];

export const tokensRows: readonly TokensRow[] = [
  { way: 'worker-process', replies: 2, tokens: 80, p50Ms: 1.12, p99Ms: 17.1 },
  { way: 'socket', replies: 2, tokens: 80, p50Ms: 1.16, p99Ms: 4.18 },
  { way: 'postgres', replies: 2, tokens: 80, p50Ms: 21.48, p99Ms: 43.43 },
];

export const toolsRows: readonly ToolsRow[] = [
  { system: 'longhand', calls: 15, cpuMsPerCall: 3.33 },
  { system: 'hand-written', calls: 15, cpuMsPerCall: 2.21 },
];

const nothingLost = { lost: 0, doubled: 0 };
const noMemory = { kbPerFollower: null, residentKbPerFollower: null };

export const gatewayRows: readonly GatewayRow[] = [
  {
    ...{ stage: 'follow', chains: 3, followers: 12, received: 228, ...nothingLost, kills: 0 },
    ...{ p50Ms: 10, p99Ms: 34, kbPerFollower: 171.6, residentKbPerFollower: 0 },
  },
  {
    ...{ stage: 'restarts', chains: 3, followers: 12, received: 228, ...nothingLost, kills: 1 },
    ...{ p50Ms: 26, p99Ms: 329, ...noMemory },
  },
  {
    ...{ stage: 'starts', chains: 40, followers: 0, received: 40, ...nothingLost, kills: 0 },
    ...{ p50Ms: 13.1, p99Ms: 326.6, ...noMemory },
  },
];

export const manyRows: readonly ManyRow[] = [
  {
    system: 'longhand',
    chains: 6,
    steps: 4,
    placement: 'activity',
    stepsPerSecond: 21.89,
    cpuMsPerStep: 24.7,
    peakRssMb: 415.6,
    completed: true,
    p99StepOverheadMs: 387,
    knownShare: 0.75,
  },
  {
    system: 'hand-written',
    chains: 6,
    steps: 4,
    placement: null,
    stepsPerSecond: 46.56,
    cpuMsPerStep: 10.22,
    peakRssMb: 273.8,
    completed: true,
    p99StepOverheadMs: 105,
    knownShare: null,
  },
];

export const workersRows: readonly WorkersRow[] = [
  {
    workers: 1,
    chains: 6,
    steps: 5,
    stepsPerSecond: 27.27,
    cpuMsPerStep: 19.44,
    cachedShare: 0.8,
    knownShare: 0.8,
    readBytesPerStep: 674.3,
    completed: true,
  },
  {
    workers: 2,
    chains: 6,
    steps: 5,
    stepsPerSecond: 39.08,
    cpuMsPerStep: 20.38,
    cachedShare: 0.8,
    knownShare: 0.8,
    readBytesPerStep: 674.8,
    completed: true,
  },
];

export const waitingRows: readonly WaitingRow[] = [
  { chains: 4, peakRssMb: 233.8, decisionP50Ms: 72.7, decisionP99Ms: 81.5, inboxMs: 59.2, listMs: 50.6 },
  { chains: 8, peakRssMb: 243.9, decisionP50Ms: 33.1, decisionP99Ms: 54, inboxMs: 35.1, listMs: 53.8 },
];
