/** Longest line read, in bytes without its newline. Ours: 10 MiB holds any spec body; a longer line is a fault or an attack. */
export const MAX_LINE_BYTES = 10 * 1024 * 1024;

/** Most messages in one batch. Ours: a few bytes of a batch make a hundred of answer, so it must not grow without end. */
export const MAX_BATCH_MESSAGES = 10_000;

/** Requests read and not yet answered above which no more is read. Ours: enough to keep every call busy, cheap to hold. */
export const MAX_PENDING_REQUESTS = 1024;

/** Bytes of such requests above which no more is read; a single request may exceed it. Ours: three longest lines. */
export const MAX_PENDING_BYTES = 32 * 1024 * 1024;

/** Characters of answers that wait for a slow reader above which nothing new begins. Ours: a few of the largest answers. */
export const MAX_UNWRITTEN_CHARS = 8 * 1024 * 1024;

/** Slow calls that run at once. Ours: they start child processes or read every file, and more only contend. */
export const MAX_SLOW_CALLS = 8;

/** Open `subscriptions/listen` requests. Ours: a client needs one. */
export const MAX_SUBSCRIPTIONS = 64;

/** Longest detail of a parse error, in characters. Ours: some engines quote the line, which may be megabytes. */
export const MAX_ERROR_DETAIL_CHARS = 200;

/**
 * Time for running calls to end after SIGTERM or SIGINT, or when the answers are no longer read, in milliseconds.
 * Ours: common clients send SIGKILL two seconds after SIGTERM.
 */
export const STOP_GRACE_MS = 1500;

/** The same at the end of stdin, where calls may finish. Ours: the client may be gone, so it cannot be for ever. */
export const FINISH_GRACE_MS = 60_000;

/** Unread bytes on standard error above which the rest is dropped. Ours: the first of many messages matters most. */
export const MAX_UNREAD_STDERR_BYTES = 1024 * 1024;

/** Time for the last message to be read before the process ends, in milliseconds. Ours: an active reader needs less. */
export const LAST_WORDS_MS = 200;
