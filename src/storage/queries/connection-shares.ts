/**
 * Limits each account to half of the store's connections. All of an account's calls may wait for held rows, and other
 * accounts need connections meanwhile.
 */
export class ConnectionShares {
  readonly #most: number;
  readonly #shares = new Map<string, { running: number; waiting: (() => void)[] }>();

  /** `connections`: of this process. */
  constructor(connections = Number.POSITIVE_INFINITY) {
    this.#most = Math.max(1, Math.floor(connections / 2));
  }

  /** Runs `work` now, or when the account's earlier work leaves a connection of its share. */
  async run<Value>(account: string, work: () => Promise<Value>): Promise<Value> {
    const share = this.#shares.get(account) ?? { running: 0, waiting: [] };
    this.#shares.set(account, share);
    if (share.running < this.#most) share.running += 1;
    else await new Promise<void>((resolve) => share.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = share.waiting.shift();
      if (next) next();
      else {
        share.running -= 1;
        if (share.running === 0) this.#shares.delete(account);
      }
    }
  }
}
