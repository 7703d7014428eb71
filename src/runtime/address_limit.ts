export interface AddressLimits {
  readonly maxConnections: number;
  /** Maximum number of connections from one network address. */
  readonly maxPerAddress: number;
  /** Number of connections that are admitted above each of the two limits, only for health probes. */
  readonly probeConnections: number;
}

export interface ConnectionAdmission {
  /** Whether the connection exceeds a limit, so that it may only be used for health probes. */
  readonly isExcess: boolean;
  release(): void;
}

/**
 * Limits the connections per network address and in total, so that one client cannot use up all connections. Admits a
 * few more above each limit, so that health probes from the same address succeed.
 */
export class ConnectionLimiter {
  readonly #limits: AddressLimits;
  readonly #byAddress = new Map<string, number>();
  #connectionCount = 0;

  constructor(limits: AddressLimits) {
    this.#limits = limits;
  }

  /** Whether the limit for all connections is reached, so that only connections for probes are admitted. */
  get isFull(): boolean {
    return this.#connectionCount >= this.#limits.maxConnections;
  }

  /** Admits a connection, or returns undefined if the reserve for probes is used up too. */
  admitConnection(remoteAddress: string | undefined): ConnectionAdmission | undefined {
    const { maxConnections, maxPerAddress, probeConnections } = this.#limits;
    const address = getAddressGroup(remoteAddress ?? "");
    const own = this.#byAddress.get(address) ?? 0;
    const above = Math.max(own - maxPerAddress, this.#connectionCount - maxConnections);
    if (above >= probeConnections) return undefined;
    this.#connectionCount++;
    this.#byAddress.set(address, own + 1);
    return { isExcess: above >= 0, release: () => this.#releaseConnection(address) };
  }

  #releaseConnection(address: string): void {
    this.#connectionCount--;
    const left = (this.#byAddress.get(address) ?? 1) - 1;
    if (left === 0) this.#byAddress.delete(address);
    else this.#byAddress.set(address, left);
  }
}

/** Returns the key under which an address is counted. Cuts IPv6 to /64, as a subscriber chooses the remaining bits. */
function getAddressGroup(address: string): string {
  if (!address.includes(":") || address.includes(".")) return address.replace(/^::ffff:/, "");
  const [head = "", tail = ""] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  if (!address.includes("::")) return groups.slice(0, 4).join(":");
  const missing = 8 - groups.length - (tail === "" ? 0 : tail.split(":").length);
  return [...groups, ...Array.from({ length: missing }, () => "0"), ...tail.split(":")].slice(0, 4).join(":");
}
