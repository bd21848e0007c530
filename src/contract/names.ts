/** Names that both sides of Temporal must spell alike. Stored in histories: a change here is a new version. */

export const workflowType = 'agent';
export const defaultTaskQueue = 'longhand';

/** No tool can have such a name: tools' names have no dot. */
export const activityNames = {
  prepareAgent: 'longhand.prepareAgent',
  callModel: 'longhand.callModel',
  readChild: 'longhand.readChild',
  score: 'longhand.score',
  archive: 'longhand.archive',
} as const;

export const prepareActivityId = 'prepare';

/** Archives the run before. What becomes of it is no fact: a chain goes on whatever its archive does. */
export const archiveActivityId = 'archive';

/** Each an update, and a signal for what no worker accepted in time: the same words under the same id. */
export const messageNames = {
  cancel: 'longhand.cancel',
  approve: 'longhand.approve',
  deny: 'longhand.deny',
  answer: 'longhand.answer',
  outcome: 'longhand.outcome',
  steer: 'longhand.steer',
  pause: 'longhand.pause',
  resume: 'longhand.resume',
  limit: 'longhand.limit',
} as const;

/** Query: the chain's state as the workflow holds it. */
export const stateQuery = 'longhand.state';

/** Types of failures that cross an activity's boundary; compared by name, never by class. */
export const failureTypes = {
  /** The call certainly did not happen. */
  notDone: 'NotDone',
  /** A call that may have happened, whatever its chain thinks of its effects. */
  inDoubt: 'InDoubt',
  /** A tool's own error, for the model to react to. */
  toolError: 'ToolError',
  /** The workflow's failure when a chain ends as `failure` or `refused`; its details hold the result. */
  chainFailed: 'longhand.ChainFailed',
  /** The chain rejected a command. The details hold the rejection's code. */
  commandRejected: 'longhand.CommandRejected',
  /** A call of the model that was not made: what it needs could not be read. */
  notCalled: 'longhand.NotCalled',
  digestMismatch: 'longhand.DigestMismatch',
  unknownAgent: 'longhand.UnknownAgent',
  badDefinition: 'longhand.BadDefinition',
  /** An activity was completed with a value that its worker does not return. */
  invalidResult: 'longhand.InvalidResult',
} as const;

/** What workers log and the commands look for. In no history. */
export const logMessages = {
  modelCallFailed: 'Call of the model failed',
  fault: 'A fault in Longhand ended a chain',
  notShown: "A chain cannot be shown in Temporal's Web UI",
} as const;
