/** What is said to a running chain. */

export interface CancelRequest {
  /** The same however often the request is sent: the chain takes it once. */
  readonly id: string;
  readonly by: string | null;
  readonly reason: string | null;
}
