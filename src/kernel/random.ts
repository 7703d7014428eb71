/** The engines' own global; `node:crypto` takes milliseconds to load, which every command would pay. */
declare const crypto: {
  getRandomValues<Values extends Uint8Array | Uint32Array>(values: Values): Values;
  randomUUID(): string;
};

export function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");
}

/** Returns a random whole number from 0 to `count` - 1. @param count at most 2^32; others than powers of two favour low numbers slightly */
export function randomBelow(count: number): number {
  return (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % count;
}

/** Returns a random UUID, version 4. */
export function randomId(): string {
  return crypto.randomUUID();
}
