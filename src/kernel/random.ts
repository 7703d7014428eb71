/** Declares the engine's global `crypto`: importing `node:crypto` would delay every command by milliseconds. */
declare const crypto: {
  getRandomValues<Values extends Uint8Array | Uint32Array>(values: Values): Values;
  randomUUID(): string;
};

export function createRandomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");
}

/**
 * Returns a random whole number from 0 to `count` - 1.
 * @param count at most 2^32; unless it is a power of two, low numbers are slightly more likely
 */
export function createRandomInteger(count: number): number {
  return (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % count;
}

/** Returns a random UUID of version 4. */
export function createRandomId(): string {
  return crypto.randomUUID();
}
