/** Names that both sides of Temporal use. They are in histories: a change is a new version. */

export const workflowType = 'agent';
export const defaultTaskQueue = 'longhand';

/** Runs the activity of an unsafe call: a workflow's id is taken once, also by a chain that was reset. */
export const callWorkflowType = 'longhandCall';

/** Sends one event of a chain to the webhooks of its tenant. Its id is the event's, so that it is sent once. */
export const notifierWorkflowType = 'longhandNotifier';

/** Distinct from tools, whose names have no dot. */
export const activityNames = {
  prepareAgent: 'longhand.prepareAgent',
  callModel: 'longhand.callModel',
  readChild: 'longhand.readChild',
  score: 'longhand.score',
  readResult: 'longhand.readResult',
  archive: 'longhand.archive',
  listWebhooks: 'longhand.listWebhooks',
  deliverWebhook: 'longhand.deliverWebhook',
} as const;

/** Archives the run before. Its result is not a fact: a chain does not depend on its archive. */
export const archiveActivityId = 'archive';

/** Each is an update, and a signal for a message that no worker accepted in time, with the same content and id. */
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
  signal: 'longhand.signal',
} as const;

/** Query: the chain's current state. */
export const stateQuery = 'longhand.state';

/** Types of failures that cross an activity's boundary; compared by name, never by class. */
export const failureTypes = {
  /** The call certainly did not happen. */
  notDone: 'NotDone',
  /** A call that may have happened, regardless of its effects. */
  inDoubt: 'InDoubt',
  /** A call of a chain that was reset: another run of it may have made the call. */
  doneBeforeReset: 'DoneBeforeReset',
  /** A tool's own error, for the model to react to. */
  toolError: 'ToolError',
  /** The workflow's failure when a chain ends as `failure` or `refused`; its details hold the result. */
  chainFailed: 'longhand.ChainFailed',
  /** A workflow of the user started an agent with an invalid task or option. */
  invalidStart: 'longhand.InvalidStart',
  /** The chain rejected a command. The details hold the rejection's code. */
  commandRejected: 'longhand.CommandRejected',
  /** A model call that was not made: its input could not be read. */
  notCalled: 'longhand.NotCalled',
  digestMismatch: 'longhand.DigestMismatch',
  /** A local preparation that has to wait for others: an activity follows. */
  needsActivity: 'longhand.NeedsActivity',
  /** The store with the files of the task or of a request does not return them. */
  storeUnavailable: 'StoreUnavailable',
  /** The worker lacks the agent, the tool or the strategy of the activity, which did nothing. */
  unknownAgent: 'longhand.UnknownAgent',
  unknownTool: 'longhand.UnknownTool',
  unknownActivity: 'longhand.UnknownActivity',
  unknownProvider: 'longhand.UnknownProvider',
  unknownStrategy: 'longhand.UnknownStrategy',
  /** The activity of an unsafe call failed. The details hold the failure as a chain sees it. */
  callFailed: 'longhand.CallFailed',
  /** The id of a call's workflow is taken: an earlier run of the chain started it. */
  workflowExists: 'longhand.WorkflowExists',
  /** The worker cannot reach a source of the agent's tools. */
  unreachableSource: 'longhand.UnreachableSource',
  /** The policies of an unchecked call require approval. The details hold the rules. */
  approvalRequired: 'longhand.ApprovalRequired',
  /** The tool asks a person. The details hold the question and the rules of its request. */
  questionAsked: 'longhand.QuestionAsked',
  badDefinition: 'longhand.BadDefinition',
  /** An activity was completed with a value that its worker does not return. */
  invalidResult: 'longhand.InvalidResult',
} as const;

/** Messages that workers log and commands search for. In no history. */
export const logMessages = {
  modelCallFailed: 'Call of the model failed',
  fault: 'A fault in Longhand ended a chain',
  notShown: "A chain cannot be shown in Temporal's Web UI",
} as const;
