/** Numbers the items of an event. A workflow task may have two turns, whose items are numbered one after the other. */
export class ItemNumbers {
  private last = { runId: '', eventId: 0, next: 0 };

  /** Returns the number of the first of `count` items. */
  take(runId: string, eventId: number, count: number): number {
    const { last } = this;
    const first = last.runId === runId && last.eventId === eventId ? last.next : 0;
    this.last = { runId, eventId, next: first + count };
    return first;
  }
}
