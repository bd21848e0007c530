/** The workflow bundle: what Temporal runs deterministically. */

export { agent } from './agent.js';
export { longhandCall } from './call-activity.js';
export { longhandNotifier } from './notifier.js';
