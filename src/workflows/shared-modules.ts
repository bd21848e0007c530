/**
 * The modules that all workflows of a worker share. The core and the contract keep no state (L3), so V8 loads and optimizes them
 * once instead of for each chain. A test finds a module that is missing here.
 */

import '../contract/chain-events.js';
import '../contract/delivery.js';
import '../contract/facts.js';
import '../contract/messages.js';
import '../contract/payloads.js';
import '../contract/run-input.js';
import '../contract/search-attributes.js';
import '../contract/temporal-limits.js';
import '../contract/tracing.js';
import '../core/engine/result.js';
import '../core/engine/turn.js';
import '../core/engine/validate-command.js';
import '../core/engine/webhook-events.js';
import '../core/print/entry-lines.js';
import '../core/print/markdown.js';
import '../core/print/open-request-lines.js';
import '../core/state/foreign-call.js';
import '../core/state/step-progress.js';
import '../core/view/ancestry.js';
import '../core/view/call-waits.js';
import '../core/view/past-collector.js';
import '../core/view/snippet-masker.js';
import './web-ui/pending-requests.js';
import './web-ui/summaries.js';
