/** Every default in one place. `longhand doctor` shows this file's values. */

export const defaults = {
  /** Replies of the model; an `autonomous` agent decides for itself when it is done and gets more. */
  steps: 10,
  autonomousSteps: 30,
  /** Input and output tokens of a whole chain. */
  tokens: 1_000_000,
  /** US dollars of a whole chain, where the model has a price. */
  costUsd: 1,
  /** Milliseconds of a whole chain. */
  timeMs: 10 * 60_000,
  /** Steps in a row without anything new. */
  stallThreshold: 3,
  /** Levels of sub-chains below a chain, and how many there may be in all. */
  depth: 5,
  chains: 200,
  /** The most chains that one call may give the same task, and the most that it may give a task of its own. */
  branches: 20,
  tasksPerCall: 1_000,
  /** Bytes of a task that is given to several chains at once: their starts go to the server together. */
  sharedTaskBytes: 100_000,
  /** Replies in a row that cannot be read. */
  problems: 3,
  /** Calls that one reply may ask for. */
  callsPerStep: 16,
  /** Calls with which a reply can still be read: those beyond `callsPerStep` are refused one by one. */
  callsPerReply: 200,
  /** Levels that the arguments of a call may be nested. */
  argumentLevels: 64,
  /** Times that a provider may pause one turn. */
  continuations: 10,

  /** Output tokens of one call. Newer models think inside it. */
  maxTokens: 16_000,
  /** Below this a call is not worth making: the budget has ended. */
  minTokens: 1_024,
  /** Tokens of an observation that the model is shown. */
  maxObservationTokens: 2_000,
  /** Bytes of one streamed answer, all of its events together: what has more is no answer. */
  streamBytes: 64 * 1024 * 1024,
  /** Milliseconds of one model call, and between two signs of life from its worker. */
  modelTimeoutMs: 10 * 60_000,
  modelHeartbeatMs: 10_000,
  /** Attempts at one model call, the first included. */
  modelAttempts: 6,
  /** Milliseconds before the second attempt; doubles up to the longest. */
  modelBackoffMs: 1_000,
  modelBackoffLongestMs: 60_000,
  /** Milliseconds that an agent's own check may take. */
  checkMs: 10_000,
  /** Milliseconds that the summing-up may take beyond the time limit. */
  closingMs: 60_000,
  /** Milliseconds that a person has to decide: a week. */
  askMs: 7 * 24 * 60 * 60_000,
  /** Places where one chain may be made to pause. */
  breakpoints: 32,
  /** Characters of a message to a chain, and of arguments that a person has changed: those may be a file. */
  messageCharacters: 32_000,
  inputCharacters: 200_000,
  /** What may be said to a chain before its agent is known. */
  earlyMessages: 16,
  /** Milliseconds that a stopped call has to end by itself. */
  graceMs: 10_000,
  /** Milliseconds more for each level of sub-chains below. */
  graceBelowMs: 3_000,

  /** Milliseconds of one attempt of a tool, and between two signs of life. */
  toolTimeoutMs: 60_000,
  toolHeartbeatMs: 10_000,
  /** Attempts at a call that may be repeated. */
  toolAttempts: 3,
  toolBackoffMs: 1_000,
  /** Milliseconds that the server's list may lag behind after a reset, and between two looks at it. */
  listingMs: 10_000,
  listingPollMs: 200,
  /** Runs of which a worker remembers where they come from. */
  runsRemembered: 4_096,

  /** Tasks of one plan, and times in a row that a tool may fail in a task before the task has. */
  planTasks: 50,
  taskToolFailures: 3,
  /** Milliseconds before a task that failed is tried again; doubles up to the longest. */
  taskBackoffMs: 1_000,
  taskBackoffLongestMs: 60_000,
  /** Plans that worked, in the process of a worker that has no other place for them. */
  plansKept: 100,

  /** Where a chain ends before Temporal would end it. */
  historyEvents: 40_000,
  historyBytes: 40 * 1024 * 1024,
  /** Bytes of one observation as JSON: what a step's calls bring must fit between this chain's end and Temporal's. */
  observationBytes: 600_000,
  /** Bytes of an id that somebody gives a chain. Temporal's SQL stores hold 255, and each level of sub-chains adds some 11. */
  chainIdBytes: 200,
  /** Bytes of any chain's id: Temporal's 1,000, less what the ids of its activities put before it. */
  subChainIdBytes: 990,
  /** Bytes of one payload; Temporal refuses more than 2 MB. */
  payloadBytes: 1_900_000,
  /** Bytes of one content in the store: a whole observation, or what a tool made. */
  blobBytes: 64 * 1024 * 1024,
} as const;
