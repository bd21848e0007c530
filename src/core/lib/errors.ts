/**
 * Errors that Longhand throws. Each has a stable code: match codes, not messages. The end of a chain is an outcome, never
 * an error.
 */

/** The meaning of each code. docs/codes.md is made from this table. */
export const errorCodes = {
  // Definitions and options.
  invalid_agent: 'An agent definition is invalid.',
  invalid_tool: 'A tool definition is invalid.',
  invalid_arguments: 'Arguments do not match the schema of the tool.',
  invalid_prompt: 'A file of a prompt, or the value of one of its variables, is invalid.',
  invalid_plan: 'A plan definition or one of its parameters is invalid.',
  invalid_strategy: 'The definition of an own strategy is invalid.',
  invalid_options: 'An option of a function is invalid.',
  invalid_policy: 'Rules of visibility, approval, redaction, retention or audit are invalid.',
  invalid_environment: 'An environment variable or a configuration file is invalid.',
  source_unreachable: 'A source of tools cannot be reached, or does not list its tools.',
  usage: 'A command was called with wrong arguments or flags.',

  // Chains.
  unknown_agent: 'No worker of the task queue has the agent.',
  chain_exists: 'A chain with this id exists.',
  chain_not_found: 'No chain with this id exists, or its retention has ended.',
  chain_ended: 'The chain has ended and accepts no command.',
  chain_running: 'The chain still runs: only a chain that has ended can be followed up.',
  command_rejected: 'The chain rejected a command. `rejection` is its code.',
  call_not_found: 'The chain has no such call, step or content.',
  call_not_waiting: 'The call is not awaiting a decision.',
  schedule_exists: 'A schedule with this id exists.',
  schedule_not_found: 'No schedule with this id exists.',
  fork_impossible: 'The chain cannot be forked at this place.',
  fork_needs_message: 'The step is the answer of the chain: a fork after it needs a message.',
  not_visible: 'The viewer may not see this.',
  invalid_chain_file: 'A file is not a chain file, or was cut or altered.',

  // Histories and the archive.
  run_not_found: 'A run is neither on the server nor in the archive.',
  run_damaged: 'A run is damaged or was altered.',
  chain_newer: 'A newer version of Longhand continued the chain.',
  chain_erased: 'The content of the chain was erased.',
  archive_mismatch: 'The archive and its facts disagree: one of them was altered.',
  sweep_running: 'Another sweep of the archive is running.',
  memory_not_found: 'No text with this key is remembered.',

  // Temporal.
  server_unreachable: 'No Temporal server answers at the address.',
  server_not_started: 'The local Temporal server did not start.',
  invalid_connection: 'An address, certificate, key or profile for the connection to Temporal is invalid.',
  tls_mismatch: 'One side of the connection to Temporal uses TLS, the other does not.',
  certificate_untrusted: "The certificate of Temporal's server is not trusted, or has expired.",
  server_name_mismatch: "The certificate of Temporal's server is for another name.",
  client_certificate_rejected: "Temporal's server requires a client certificate, or rejected it.",
  api_key_rejected: "Temporal's server requires an API key, or rejected it.",
  namespace_denied: 'The API key or client certificate has no access to the namespace.',
  namespace_not_found: 'The server has no such namespace.',
  sdk_loaded_twice: "Two copies of Temporal's SDK are loaded.",
  search_attributes_missing:
    'The namespace lacks search attributes of chains, which a worker registers when it starts.',
  cli_not_found: "Temporal's command line tool is missing and could not be installed.",
  worker_failed: 'The worker cannot run.',

  // The gateway, in the client over HTTP.
  gateway_unreachable: 'No gateway answers at the address.',

  // The store.
  store_unavailable: 'The store does not answer. Try again later.',
  store_denied: 'The store denies access.',
  store_not_writable: 'The file of the store cannot be written.',
  store_full: 'The store has no room left.',
  store_corrupt: 'The file is not a database, or is damaged.',
  store_newer: 'A newer version of Longhand migrated the store.',
  store_missing: 'The database, or the package that opens it, is missing.',
  store_too_large: 'A content is larger than the limit of the store.',
  store_misnamed: 'The address is not an address of a store.',
  invalid_cursor: 'The cursor does not belong to this list, or the position to this chain.',

  // Encryption and the audit log.
  encryption_no_key: 'The key that sealed this content is missing.',
  encryption_altered: 'The sealed content was altered.',
  encryption_key_file: 'The key file cannot be used.',
  audit_log_broken: 'An audit log is broken.',
  audit_log_rejected: 'An audit log was rejected.',
  audit_key_invalid: 'The audit key cannot be used.',

  // API keys of the gateway.
  key_not_found: 'No API key with this id exists.',
  webhook_not_found: 'No webhook with this id exists.',
  budget_not_found: 'No budget of this scope and window exists, or none that applies to this spender.',
  key_not_permitted: 'An API key may not give more than the credential that creates it has.',
  tenant_limit_reached: 'The tenant has reached its limit of API keys or webhooks.',

  // Models and tools.
  model_not_configured: 'No model is configured, or its address or key is invalid.',
  model_unclear: 'Several providers could have the model.',
  provider_missing: 'The worker lacks the provider that the catalogue names for the model.',
  invalid_models: 'The catalogue of models is invalid.',
  invalid_prices: 'The price map is invalid.',
  secret_unreadable: 'A secret cannot be read.',
  tool_failed: 'A tool failed. The model sees the message.',
  not_done: 'A tool did not run: its effect certainly did not happen.',

  // The machine.
  package_missing: 'A package that only some users need is not installed.',
  file_not_found: 'A file or folder does not exist.',
  file_not_written: 'A file could not be written.',
  internal: 'A fault in Longhand. Report it.',
} as const satisfies { readonly [code: string]: string };

export type ErrorCode = keyof typeof errorCodes;

export class LonghandError extends Error {
  override readonly name: string = 'LonghandError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Compares by shape, not by class: another copy of this package may have thrown the error. */
export function isLonghandError(error: unknown): error is LonghandError {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && Object.hasOwn(errorCodes, error.code)
  );
}

/** Returns the code of an error of Node or a database, such as `ENOENT`; empty without one. */
export function getErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Returns the message of any thrown value. */
export function toErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
