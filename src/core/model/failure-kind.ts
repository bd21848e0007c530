/** The kinds of failures of model calls. */

/** Why a model call returned no reply. Each kind is a row of the table in engine/failure-rules.ts. */
export type ModelFailureKind =
  | 'bad_request'
  | 'authentication'
  | 'billing'
  | 'permission'
  | 'not_found'
  | 'too_large'
  | 'context_overflow'
  | 'rate_limit'
  | 'overloaded'
  | 'server_error'
  | 'timeout'
  | 'connection'
  | 'unknown_host'
  | 'cut'
  | 'circuit_open'
  | 'lost'
  | 'cancelled'
  | 'not_called'
  | 'store_unavailable'
  | 'refused'
  | 'data_class'
  | 'not_allowed'
  | 'invalid_result'
  | 'invalid_provider'
  | 'internal';
