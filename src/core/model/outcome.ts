/** Why a chain ended. */
export type Outcome =
  | 'success'
  | 'max_iterations'
  | 'failure'
  | 'stalled'
  | 'token_budget'
  | 'cost_budget'
  | 'timeout'
  | 'cancelled'
  | 'refused'
  | 'custom';
