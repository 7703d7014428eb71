/** Maximum size of a message in either direction, in bytes. Source: docs/contract/datacenter-rules.md#general. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Size of the prefix of a gRPC message, in bytes: one byte of flags and four of length. */
export const ENVELOPE_BYTES = 5;
/** Maximum deadline in a request, in milliseconds. Our choice: no call takes minutes. */
export const MAX_TIMEOUT_MS = 10 * 60 * 1000;
/** Maximum length of a user agent in the change log, in characters. Our choice: longer ones carry no information. */
export const MAX_USER_AGENT_CHARS = 256;
/** Minimum size of a message that is compressed, in bytes. Source: the default of connect. */
export const COMPRESS_MIN_BYTES = 1024;
/** Maximum size of a health or reflection message in either direction, in bytes: they name a service or a symbol. */
export const MAX_SMALL_MESSAGE_BYTES = 64 * 1024;
/** Maximum ratio of decompressed to compressed request size. Our choice: large bulk requests grow 20 to 60 times. */
export const MAX_GROWTH_RATIO = 250;
/** Size to which every compressed request may grow, in bytes. Our choice. */
const FREE_GROWTH_BYTES = 1024 * 1024;

/** Returns the maximum size in bytes of a compressed request after decompression. */
export function computeMaxInflatedBytes(bytes: number): number {
  return Math.min(Math.max(FREE_GROWTH_BYTES, bytes * MAX_GROWTH_RATIO), MAX_MESSAGE_BYTES);
}
