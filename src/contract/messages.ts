/** What is said to a running chain. */

export interface CancelRequest {
  /** The same however often the request is sent. The first reason to stop stays, so a repeat changes nothing. */
  readonly id: string;
  readonly by: string | null;
  readonly reason: string | null;
}
