/** Maximum bytes of a line without newline. Our choice: any spec body fits; a longer line is a fault or an attack. */
export const MAX_LINE_BYTES = 10 * 1024 * 1024;

/** Maximum number of messages in a batch. Our choice: limited, because a few bytes cause a hundred bytes of replies. */
export const MAX_BATCH_MESSAGES = 10_000;

/** Number of pending requests above which reading stops. Our choice: keeps every call busy, and is cheap to store. */
export const MAX_PENDING_REQUESTS = 1024;

/** Pending bytes above which reading stops; a single request may exceed it. Our choice: three longest lines. */
export const MAX_PENDING_BYTES = 32 * 1024 * 1024;

/** Characters of unsent replies above which no new call begins. Our choice: a few of the largest replies. */
export const MAX_UNWRITTEN_CHARS = 8 * 1024 * 1024;

/** Maximum slow calls at once. Our choice: they start child processes or read every file; more would only contend. */
export const MAX_SLOW_CALLS = 8;

/** Maximum number of open `subscriptions/listen` requests. Our choice: a client needs one. */
export const MAX_SUBSCRIPTIONS = 64;

/** Maximum characters of a parse error's detail. Our choice: some engines quote the line, which may be megabytes. */
export const MAX_ERROR_DETAIL_CHARS = 200;

/**
 * Time for running calls to end after SIGTERM or SIGINT, or after the reader of replies has closed, in milliseconds.
 * Our choice: common clients send SIGKILL two seconds after SIGTERM.
 */
export const STOP_GRACE_MS = 1500;

/** Milliseconds for running calls to end after stdin ends. Our choice: finite, because the client may have ended. */
export const FINISH_GRACE_MS = 60_000;

/** Unread bytes on standard error above which output is dropped. Our choice: the first of many messages matter most. */
export const MAX_UNREAD_STDERR_BYTES = 1024 * 1024;

/** Milliseconds for the client to read the last message before the exit. Our choice: an active reader needs less. */
export const STDERR_DRAIN_MS = 200;
