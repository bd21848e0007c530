/** A map that holds no more than so many: the ones that were not asked for longest are forgotten. */

export class Bounded<K, V> {
  private readonly held = new Map<K, V>();

  constructor(private readonly most: number) {}

  get(key: K): V | undefined {
    const value = this.held.get(key);
    if (value === undefined || this.held.size < this.most) return value;
    this.held.delete(key);
    this.held.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.held.delete(key);
    this.held.set(key, value);
    if (this.held.size <= this.most) return;
    const [oldest] = this.held.keys();
    if (oldest !== undefined) this.held.delete(oldest);
  }
}
