/** Largest message in either direction, in bytes. Source: docs/contract/datacenter-rules.md#general. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Before a message of gRPC: one byte of flags and four of length. */
export const ENVELOPE_BYTES = 5;
/** Maximum deadline in a request, in milliseconds. Our choice: no call takes minutes. */
export const MAX_TIMEOUT_MS = 10 * 60 * 1000;
/** Maximum length of a user agent in the change log, in characters. Our choice: longer ones carry no information. */
export const MAX_USER_AGENT_CHARS = 256;
/** Smallest message that is worth compressing, in bytes. Source: the default of connect. */
export const COMPRESS_MIN_BYTES = 1024;
/** Largest message of health and reflection in either direction, in bytes: they name a service or a symbol. */
export const MAX_SMALL_MESSAGE_BYTES = 64 * 1024;
/** How much a compressed request may grow. Ours: large bulk requests grow twenty to sixtyfold. */
export const MOST_GROWTH = 250;
/** Bytes to which every compressed request may grow. Ours. */
const FREE_GROWTH_BYTES = 1024 * 1024;

/** The most bytes that a compressed request may have once it is decompressed. */
export function mostInflated(bytes: number): number {
  return Math.min(Math.max(FREE_GROWTH_BYTES, bytes * MOST_GROWTH), MAX_MESSAGE_BYTES);
}
