import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";

/** Largest message in either direction, in bytes. Source: docs/contract/datacenter-rules.md#general. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Longest deadline that a caller may ask for, in milliseconds. Ours: no answer takes minutes. */
export const MAX_TIMEOUT_MS = 10 * 60 * 1000;
/** Longest user agent that goes into the change log, in characters. Ours: the rest is noise. */
export const MAX_USER_AGENT_CHARS = 256;
/** Smallest message that is worth compressing, in bytes. Source: the default of connect. */
export const COMPRESS_MIN_BYTES = 1024;
/** What messages may be compressed with. */
export const COMPRESSIONS = [compressionGzip, compressionBrotli];
