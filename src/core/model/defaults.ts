/** All defaults. `longhand doctor --limits` prints the values of this file. */

/** Doubles a wait with each attempt, from 1, up to the longest. */
export function doubleWait(firstMs: number, attempt: number, longestMs: number): number {
  return Math.min(firstMs * 2 ** Math.max(0, attempt - 1), longestMs);
}

export const defaults = {
  /** Replies of the model. An `autonomous` agent decides itself when it is done and gets more. */
  steps: 10,
  autonomousSteps: 30,
  /** Input and output tokens of a chain. */
  tokens: 1_000_000,
  /** US dollars of a chain, where the model has a price. */
  costUsd: 1,
  /** Milliseconds of a chain. */
  timeMs: 10 * 60_000,
  /** Steps in a row without progress. */
  stallThreshold: 3,
  /** Between one replaced word of four (0.75) and of six (0.83). */
  stallSimilarity: 0.8,
  /** Levels of sub-chains below a chain, and most sub-chains over all levels. */
  depth: 5,
  maxSubChains: 200,
  /** Most chains that one call may start for the same task, and with a task each. */
  maxBranches: 20,
  tasksPerCall: 1_000,
  /** Bytes of a task that several chains share: their starts go to the server together. */
  sharedTaskBytes: 100_000,
  /** Newest steps that readers show first, and steps above which they warn that a chain is unusually long. */
  shownSteps: 50,
  usualSteps: 200,
  /** Unreadable replies in a row. */
  maxUnreadableReplies: 3,
  /** Examples of an agent, and their characters in its prompt: each model call pays for them. */
  maxExamples: 10,
  exampleCharacters: 20_000,
  /** Calls in one reply. */
  callsPerStep: 16,
  /** Messages before a task, and their bytes: each model call of a follow-up pays for them. */
  earlierMessages: 200,
  earlierBytes: 32_000,
  /** Bytes of a chain's metadata as JSON, and of that of a plan's task. */
  metadataBytes: 16 * 1024,
  taskMetadataBytes: 1_024,
  /** Calls with which a reply is still read: those above `callsPerStep` are rejected one by one. */
  callsPerReply: 200,
  /** Parts of a reply: texts, thoughts and calls. */
  replyParts: 2_000,
  /** Nesting levels of a call's arguments. */
  argumentLevels: 64,
  /** Pauses of one turn by the provider. */
  maxTurnPauses: 10,

  /** Output tokens of one model call. Newer models also think inside this limit. */
  maxTokens: 16_000,
  /** Fewest output tokens worth a model call: below this the budget is exhausted. */
  minTokens: 1_024,
  /** UTF-8 bytes of the text of an aside. */
  asideBytes: 8_000,
  /** Bytes of a task from which its tokens are counted by the provider, where it can: most are four bytes long. */
  countedTaskBytes: 32_768,
  /** Part of the context window at which the oldest steps are summarized. */
  compactAt: 0.8,
  /** UTF-8 bytes of the notes that replace the oldest steps, and of the request for them, at most. */
  notesBytes: 24_000,
  notesRequestBytes: 128_000,
  /** UTF-8 bytes of a result that a model reads to summarize it. */
  summarizedBytes: 64_000,
  /** Tokens of an observation in a request. */
  maxObservationTokens: 2_000,
  /** Bytes of one streamed reply with all its events; a longer one is rejected. */
  streamBytes: 64 * 1024 * 1024,
  /** Characters of one event, and of a reply in one piece: JSON is parsed without a pause. */
  eventCharacters: 4 * 1024 * 1024,
  /** Failures in a row after which an endpoint is left alone, and the milliseconds of the first and the longest pause. */
  circuitFailures: 10,
  circuitPauseMs: 10_000,
  circuitLongestPauseMs: 60_000,
  /** Characters of a provider's name. */
  providerNameCharacters: 100,
  /** Milliseconds of one model call, and between two heartbeats of its worker. */
  modelTimeoutMs: 10 * 60_000,
  modelHeartbeatMs: 10_000,
  /** Milliseconds in which a failed model call is repeated: a week. */
  modelRetryMs: 7 * 24 * 60 * 60_000,
  /** Milliseconds before the second attempt; doubles up to the longest. */
  modelBackoffMs: 1_000,
  modelBackoffLongestMs: 60_000,
  /** The longest wait in milliseconds that a provider may request: one of a day is asked for again each hour. */
  retryAfterLongestMs: 60 * 60_000,
  /** Milliseconds that a model call waits for budgets of tenants, agents and models: 40 days, for one of a month. */
  budgetWaitMs: 40 * 24 * 60 * 60_000,
  /** Milliseconds between two attempts of a held chain. */
  heldRetryMs: 5 * 60_000,
  /** Milliseconds of failed connections after which a chain is held: an outage of minutes needs no person. */
  outageMs: 60 * 60_000,
  /** Milliseconds in which an operation goes back to the task queue before its chain is held. */
  requeueMs: 5 * 60_000,
  /** Times that it is offered again immediately: mostly another worker takes it. */
  requeuesAtOnce: 5,
  /** Milliseconds before each later time; doubles up to the longest. */
  requeueBackoffMs: 1_000,
  requeueBackoffLongestMs: 10_000,
  /** Attempts at scoring answers: a worker may lack the scoring function. */
  scoreAttempts: 32,
  /** Times that the call that sums up goes back to the task queue: the chain has ended, and does not wait. */
  closingRequeues: 8,
  /** Milliseconds after which a new chain ends whose agent no worker has: its name may be wrong. */
  agentMissingMs: 20 * 60_000,
  /** Agents that a worker names to such a chain. */
  namedAgents: 10,
  /** Milliseconds after which a chain ends for which no worker has something else: a week. */
  workerMissingMs: 7 * 24 * 60 * 60_000,
  /** Milliseconds for an agent's own check. */
  checkMs: 10_000,
  /** Milliseconds for the summary beyond the time limit. */
  closingMs: 60_000,
  /** Milliseconds for a person's decision: a week. */
  requestExpiryMs: 7 * 24 * 60 * 60_000,
  /** Milliseconds that the calls of a chain may wait: a week. */
  waitMs: 7 * 24 * 60 * 60_000,
  /** Bytes of a signal's data as JSON; signals that a chain keeps, and their bytes together. */
  signalBytes: 16 * 1024,
  /** Questions that a tool asks people in one call. */
  questionsPerCall: 10,
  /** UTF-8 bytes of all answers to the questions of running tools in a step. */
  answersBytes: 64 * 1024,
  keptSignals: 32,
  keptSignalBytes: 64 * 1024,
  /** Breakpoints of one chain. */
  breakpoints: 32,
  /** Characters of a message to a chain, and of arguments that a person changed (they may be a file). */
  messageCharacters: 32_000,
  inputCharacters: 200_000,
  /** Commands that wait until the agent is known. */
  pendingCommands: 16,
  /** Milliseconds for a local call, and for its wait for a slot of the worker. */
  localCallMs: 2_000,
  /** Messages that a turn takes; the others are taken by later turns. */
  messagesPerTurn: 500,
  /** Signals that a client sends to a chain without a worker that takes them. */
  queuedCommands: 1_000,
  /** Milliseconds for a cancelled call to end by itself. */
  graceMs: 10_000,
  /** Additional grace in milliseconds for each level of sub-chains below. */
  graceBelowMs: 3_000,

  /** Milliseconds of one attempt of a tool, and between two heartbeats. */
  toolTimeoutMs: 60_000,
  toolHeartbeatMs: 10_000,
  /** Of a tool of the kind `shell`. */
  shellToolMs: 10 * 60_000,
  /** For a worker of a tool's own task queue. */
  toolQueueMs: 5 * 60_000,
  /** Milliseconds that a call waits for a free place of its tool. */
  slotTimeoutMs: 5 * 60_000,
  /** For a workflow that a tool starts. */
  workflowToolMs: 60 * 60_000,
  /** Attempts at a call that may be repeated. */
  toolAttempts: 3,
  toolBackoffMs: 1_000,
  /** Milliseconds that the server's list may lag behind after a reset, and between two reads of it. */
  listingMs: 10_000,
  listingPollMs: 200,
  /** Runs whose origin a worker remembers. */
  runsRemembered: 4_096,

  /** Tasks of one plan, and failures of a tool in a row after which its task fails. */
  planTasks: 50,
  taskToolFailures: 3,
  /** Milliseconds before a failed task is retried; doubles up to the longest. */
  taskBackoffMs: 1_000,
  taskBackoffLongestMs: 60_000,
  /** Plans that worked: those kept for an agent, and days until they expire. */
  plansKept: 100,
  planDays: 30,

  /** History size at which a chain ends, before Temporal would terminate it. */
  historyEvents: 40_000,
  historyBytes: 40 * 1024 * 1024,
  /** Bytes of one observation as JSON. The results of a step must fit between this chain's history limit and Temporal's. */
  observationBytes: 600_000,
  /** Of a foreign activity or workflow, in a fact. A byte may take six as JSON. */
  foreignResultTokens: 25_000,
  /** Bytes of an interim result as JSON. */
  interimBytes: 2_048,
  /** Bytes of a chain id that a caller chooses. Temporal's SQL stores hold 255, and each level of sub-chains adds about 11. */
  chainIdBytes: 200,
  /** Bytes of any chain id: Temporal's 1,000, minus the prefixes of its activities' ids. */
  subChainIdBytes: 990,
  /** Bytes of one payload; Temporal rejects more than 2 MB. */
  payloadBytes: 1_900_000,
  /** Bytes of one stored content: a full observation, or a file. */
  blobBytes: 64 * 1024 * 1024,
  /** Files of a task, and of a result. */
  files: 20,
  /** Files in a request, and their bytes. */
  requestFiles: 20,
  requestFileBytes: 20 * 1024 * 1024,
} as const;
