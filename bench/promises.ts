/**
 * The bounds of the full benches. They are promises: each is what was asked for. A build that misses one is slower than promised,
 * also if all builds before it missed it. Raise none to pass. docs/benchmarks.md has the last measured values.
 */
export const promises = {
  /** CPU time to fold a history of 1,000 steps, in milliseconds. */
  foldCpuMs: 150,
  /** The same, in ratio to decoding, parsing, writing and hashing the same payloads by the engine's own functions. */
  foldOfFloor: 7.5,
  /** Time to read a chain of 1,000 steps, in milliseconds. */
  readMs: 500,
  /** The same, in ratio to the bare fetch of its history. */
  readOfFetching: 1.2,
  /** Time to read the last 20 steps of a chain of 1,000 steps, in milliseconds. */
  readLastMs: 150,
  /** What a task of 10 steps takes more than the same activities in a hand-written workflow, in milliseconds. */
  taskAddedMs: 30,
  /** One chain of 50 steps, in ratio to a hand-written loop: the worker's CPU time, and the time. */
  cpuOfLoop: 1,
  timeOfLoop: 1,
  /** The same with local calls. */
  localCpuOfLoop: 0.8,
  localTimeOfLoop: 0.76,
  /** 50 chains of 10 steps, in ratio to a hand-written loop: steps per second, at least. */
  rateOfLoop: 0.95,
  /** The same with local calls. */
  localRateOfLoop: 1.25,
  /** What a step takes anywhere in a chain of 3,000 steps may differ from its median by this share: bytes, and time. */
  flatShare: 0.1,
  /** By how much the time of a step changes over 1,000 of these steps: noise. */
  slopeShare: 0.03,
  /** CPU time that a tool call takes more than a bare activity, in milliseconds. */
  callAddedCpuMs: 3,
  /** From the provider's byte to the follower, for 99 % of the tokens, in milliseconds. */
  tokenP99Ms: 100,
  /** From a recorded event to the follower over HTTP, for 99 % of the events, in milliseconds. */
  eventP99Ms: 100,
  /** Memory of the gateway for each follower, in kilobytes. */
  followerKb: 100,
  /** Of the input of a chain of 50 steps over Messages, the share that is read from the provider's cache, at least. */
  cacheReadShare: 0.8,
  /** Facts that a chain of 300 steps knows at its end, of those asked, in a window of 32,000 tokens with notes of a model, at least. */
  contextFacts: 1,
  /** Resident memory of a worker that runs 1,000 chains at once, in megabytes. */
  manyPeakMb: 650,
  /** Its model calls whose chain is known, so that it is not read from its start, at least. */
  manyKnownShare: 0.89,
  /** CPU time of a step on two and on four workers of one queue, in ratio to one worker. */
  workersCpuRatio: 1.1,
  /** From a decision to its call, for 99 % of the decisions on 10,000 waiting chains, in milliseconds. */
  waitingDecisionP99Ms: 200,
  /** A page of the inbox and of the list, with 10,000 waiting chains, in milliseconds. */
  pageMs: 500,
  /** CPU time to reserve a model call in three budgets and at a rate, and to settle it, in milliseconds. */
  budgetCheckCpuMs: 2,
  /** CPU time of a workload of `bench -- against`, in ratio to the baseline's. */
  againstRatio: 1.1,
} as const;
