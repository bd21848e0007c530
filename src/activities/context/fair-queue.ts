/**
 * Fair queue for a tool's slots: fewest running calls first, then least recently served, then first come. A chain with many
 * calls does not keep the others waiting.
 */

export interface SlotRequest {
  readonly chainId: string;
  /** Slots of the group, by the definition of the caller's tool. */
  readonly slots: number;
  /** Aborts the wait: the promise rejects with its reason. */
  readonly signal: AbortSignal;
}

interface WaitingRequest extends Pick<SlotRequest, 'chainId' | 'slots'> {
  readonly admit: () => void;
}

export class FairQueue {
  /** Calls that have a slot, by chain. */
  private readonly running = new Map<string, number>();
  private readonly waiting: WaitingRequest[] = [];
  /** When a chain that runs or waits was served last, by the number of the turn. */
  private readonly turns = new Map<string, number>();
  private turn = 0;

  /** Returns the number of calls that have a slot. */
  countRunning(): number {
    return [...this.running.values()].reduce((sum, calls) => sum + calls, 0);
  }

  /** Resolves when the call has a slot. Contract: the caller then releases it. */
  acquire({ chainId, slots, signal }: SlotRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const abort = () => {
        this.waiting.splice(this.waiting.indexOf(request), 1);
        this.forget(chainId);
        reject(signal.reason);
      };
      const admit = () => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const request: WaitingRequest = { chainId, slots, admit };
      signal.addEventListener('abort', abort, { once: true });
      this.waiting.push(request);
      this.admitNext();
    });
  }

  release(chainId: string): void {
    const left = this.countOf(chainId) - 1;
    if (left > 0) this.running.set(chainId, left);
    else this.running.delete(chainId);
    this.forget(chainId);
    this.admitNext();
  }

  private admitNext(): void {
    for (;;) {
      const [first, ...others] = this.waiting.filter(({ slots }) => this.countRunning() < slots);
      if (first === undefined) return;
      const next = others.reduce((best, request) => (this.isBefore(request, best) ? request : best), first);
      this.waiting.splice(this.waiting.indexOf(next), 1);
      this.running.set(next.chainId, this.countOf(next.chainId) + 1);
      this.turn += 1;
      this.turns.set(next.chainId, this.turn);
      next.admit();
    }
  }

  private isBefore(a: WaitingRequest, b: WaitingRequest): boolean {
    const [callsOfA, callsOfB] = [this.countOf(a.chainId), this.countOf(b.chainId)];
    if (callsOfA !== callsOfB) return callsOfA < callsOfB;
    return (this.turns.get(a.chainId) ?? 0) < (this.turns.get(b.chainId) ?? 0);
  }

  private countOf(chainId: string): number {
    return this.running.get(chainId) ?? 0;
  }

  private forget(chainId: string): void {
    if (!this.running.has(chainId) && !this.waiting.some((request) => request.chainId === chainId))
      this.turns.delete(chainId);
  }
}
