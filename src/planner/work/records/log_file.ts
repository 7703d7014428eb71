import { LOG_CHUNK_BYTES, MAX_LOG_ANSWER_BYTES, MAX_RUN_BYTES } from "../../limits.ts";
import { isContinuationByte } from "../agent_stream/line_reader.ts";

/** A growing log file. Offsets and sizes are bytes. */
export interface LogFile {
  /** Path from the project root. */
  readonly file: string;
  readonly size: number;
  readonly modified: Date;
  readBytes(offset: number, length: number): Promise<Uint8Array>;
}

/**
 * The format of a spec's log file, `.planner/logs/<id>.log`:
 *
 *     <time> === run <process_id> ===
 *     <time> <text of one line>
 *
 * `<time>` is ISO 8601 in UTC with milliseconds: 24 characters, then one space. Every run begins with its own header
 * line. Commands report on the last run. Lines that another program wrote may have no time.
 *
 * Lines of standard error begin with `stderr:`. Lines by planner that look like a header begin with `planner:`. Lines
 * of standard output begin with `stdout:` if they look like a header or begin with one of these prefixes.
 */

const TIME_PATTERN = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
// A line ends only at a line feed; other breaks, such as a lone carriage return, may be part of the output.
const LINE_START = "(?<![^\\n])";
const LINE_END = "(?=\\r?(?:\\n|$))";
const TIME_PREFIX = new RegExp(`${LINE_START}${TIME_PATTERN}(?: |${LINE_END})`, "g");
const RUN_HEADER = new RegExp(`${LINE_START}${TIME_PATTERN} === run \\S+ ===${LINE_END}`, "g");

/** Returns the line that begins a run, without its line break. */
export function formatRunHeader(time: Date, processId: string): string {
  return formatLogLine(time, `=== run ${processId} ===`);
}

const HEADER_START = /^\s*=== run /;
const PREFIXED_LINE = /^\s*(?:=== run |planner:|stdout:|stderr:)/;

/** Prefixes lines of standard error, and lines that look like planner's, so that no program can forge a run's start. */
export function formatPrintedLine(text: string, from: "stdout" | "stderr"): string {
  return from === "stderr" || PREFIXED_LINE.test(text) ? `${from}: ${text}` : text;
}

/** Returns a line by planner, with a prefix if it looks like a header, for example because it quotes a file's name. */
export function formatOwnLine(text: string): string {
  return HEADER_START.test(text) ? `planner: ${text}` : text;
}

/** Returns one stored line, without its line break. */
export function formatLogLine(time: Date, text: string): string {
  return `${time.toISOString()} ${text}`;
}

/** Returns several stored lines with their line breaks; empty for none. */
export function formatLogLines(time: Date, texts: readonly string[]): string {
  const start = `${time.toISOString()} `;
  return texts.length === 0 ? "" : `${start}${texts.join(`\n${start}`)}\n`;
}

/** Returns the last run's lines without their times; the whole log if it contains no header. */
function extractLastRun(log: string): string {
  let start = 0;
  for (const header of log.matchAll(RUN_HEADER)) start = log.indexOf("\n", header.index) + 1 || log.length;
  return removeTimestamps(log.slice(start));
}

/** Removes the times from stored lines. */
export function removeTimestamps(lines: string): string {
  return lines.replace(TIME_PREFIX, "");
}

const TIME_START = new RegExp(`^${TIME_PATTERN}`);

/** Returns the time of a stored line in milliseconds since 1970; null for a line without one. */
function parseLineTime(line: string): number | null {
  const time = TIME_START.exec(line)?.[0];
  if (time === undefined) return null;
  const milliseconds = Date.parse(time);
  return Number.isNaN(milliseconds) ? null : milliseconds;
}

/** Returns the last run's lines without times. Reads only the end of a long log, which contains the result. */
export async function readLastRun(log: LogFile, maxBytes = MAX_RUN_BYTES): Promise<string> {
  const from = Math.max(0, log.size - maxBytes);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await log.readBytes(from, log.size - from));
  return extractLastRun(from === 0 ? text : text.slice(text.indexOf("\n") + 1));
}

/**
 * Selects the part of a log for one answer. These rules prevent a follower from losing or repeating text:
 *
 * - The next answer, which starts at `byte_offset`, continues the text without gap or overlap.
 * - An answer ends after a complete line. Only a line longer than `MAX_LOG_ANSWER_BYTES` is split.
 * - While a process writes, its unfinished last line is held back.
 * - No answer begins or ends inside a UTF-8 character.
 */

const NEWLINE = 10;

interface LogQuery {
  /** Maximum number of lines in the answer; 0 requests only the offset. */
  readonly lines: number;
  /** Byte offset at which to start, at most the log's size. Without it and `since`, the last lines are returned. */
  readonly offset?: number | undefined;
  /** Starts at the first line that was stored at this time or later. */
  readonly since?: Date | undefined;
  /** Whether a process still writes the log. */
  readonly growing: boolean;
}

/** One answer with log lines. Source: docs/contract/spec-tool.md#tools. */
interface LogWindow {
  readonly content: string;
  /** Byte offset for the next call. */
  readonly byte_offset: number;
  readonly line_count: number;
  /** Whether text after `byte_offset` can be read now. */
  readonly has_more: boolean;
}

/** Reads one answer of a log. Memory: a small multiple of `MAX_LOG_ANSWER_BYTES`, whatever the log's size is. */
export async function readLogWindow(log: LogFile, query: LogQuery): Promise<LogWindow> {
  const { lines, offset, since } = query;
  const end = query.growing ? await findEndOfLines(log) : log.size;
  if (offset === undefined && since === undefined) return readWindowTail(log, end, lines);
  const requested = await findCharacterStart(log, offset ?? 0);
  // A follower's offset may be within the unfinished line that is held back.
  if (requested >= end) return { content: "", byte_offset: requested, line_count: 0, has_more: false };
  const start = since === undefined ? requested : await findFirstLineSince(log, { start: requested, end, since });
  return readWindowForward(log, { start, end, lines });
}

interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

async function readWindowForward(
  log: LogFile,
  { start, end, lines }: ByteSpan & { readonly lines: number },
): Promise<LogWindow> {
  const bytes = await log.readBytes(start, Math.min(end - start, MAX_LOG_ANSWER_BYTES));
  const endOfLines = findOffsetAfterLines(bytes, lines);
  const cut = endOfLines ?? (start + bytes.length >= end ? bytes.length : findOffsetAfterLastLine(bytes));
  return buildLogWindow(bytes.subarray(0, cut), start, end);
}

async function readWindowTail(log: LogFile, end: number, lines: number): Promise<LogWindow> {
  if (lines === 0 || end === 0) return buildLogWindow(new Uint8Array(), end, end);
  for (let length = LOG_CHUNK_BYTES; ; length *= 2) {
    const from = Math.max(0, end - Math.min(length, MAX_LOG_ANSWER_BYTES));
    const bytes = await log.readBytes(from, end - from);
    const start = findStartOfLastLines(bytes, lines);
    if (start !== undefined) return buildLogWindow(bytes.subarray(start), from + start, from + bytes.length);
    if (from === 0) return buildLogWindow(bytes, 0, bytes.length);
    if (length < MAX_LOG_ANSWER_BYTES) continue;
    const whole = bytes.indexOf(NEWLINE) + 1;
    const first = whole === 0 || whole === bytes.length ? findFirstCharacter(bytes) : whole;
    return buildLogWindow(bytes.subarray(first), from + first, from + bytes.length);
  }
}

function buildLogWindow(bytes: Uint8Array, start: number, end: number): LogWindow {
  const next = start + bytes.length;
  return {
    content: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes),
    byte_offset: next,
    line_count: countLines(bytes),
    has_more: next < end,
  };
}

/** Returns the offset after the last newline, or after the last complete character of a line that is too long. */
async function findEndOfLines(log: LogFile): Promise<number> {
  for (let length = LOG_CHUNK_BYTES; ; length *= 2) {
    const from = Math.max(0, log.size - Math.min(length, MAX_LOG_ANSWER_BYTES));
    const bytes = await log.readBytes(from, log.size - from);
    const newline = bytes.lastIndexOf(NEWLINE);
    if (newline !== -1) return from + newline + 1;
    if (from === 0) return 0;
    if (length >= MAX_LOG_ANSWER_BYTES) return from + countWholeCharacterBytes(bytes);
  }
}

/** Returns the offset of the first line that was stored at `since` or later, otherwise the end of the span. */
async function findFirstLineSince(
  log: LogFile,
  { start, end, since }: ByteSpan & { readonly since: Date },
): Promise<number> {
  let lineStart = start === 0 ? true : (await log.readBytes(start - 1, 1))[0] === NEWLINE;
  for (let position = start; position < end; ) {
    const bytes = await log.readBytes(position, Math.min(LOG_CHUNK_BYTES, end - position));
    if (bytes.length === 0) break;
    const found = scanLinesSince(bytes, { lineStart, isLast: position + bytes.length >= end, since });
    if (found.at !== undefined) return position + found.at;
    lineStart = found.lineStart;
    position += found.scanned;
  }
  return end;
}

interface LineScan {
  /** Offset of the line that was found; absent if no line matches. */
  readonly at?: number;
  /** Offset at which to continue, and whether a line begins there. */
  readonly scanned: number;
  readonly lineStart: boolean;
}

const TIME_BYTES = 24;

function scanLinesSince(
  bytes: Uint8Array,
  { lineStart, isLast, since }: { readonly lineStart: boolean; readonly isLast: boolean; readonly since: Date },
): LineScan {
  let at = lineStart ? 0 : bytes.indexOf(NEWLINE) + 1;
  if (!lineStart && at === 0) return { scanned: bytes.length, lineStart: false };
  while (at < bytes.length) {
    // The time of a line at the end of a chunk may continue in the next chunk.
    if (at + TIME_BYTES > bytes.length && !isLast) return { scanned: at, lineStart: true };
    const time = parseLineTime(String.fromCharCode(...bytes.subarray(at, at + TIME_BYTES)));
    if (time !== null && time >= since.getTime()) return { at, scanned: at, lineStart: true };
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline === -1) return { scanned: bytes.length, lineStart: false };
    at = newline + 1;
  }
  return { scanned: bytes.length, lineStart: true };
}

/** Returns the offset after the `lines`th newline; undefined if there are fewer. */
function findOffsetAfterLines(bytes: Uint8Array, lines: number): number | undefined {
  let at = 0;
  for (let line = 0; line < lines; line++) {
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline === -1) return undefined;
    at = newline + 1;
  }
  return at;
}

/** Returns the offset after the last newline; without a newline, the offset after the last complete character. */
function findOffsetAfterLastLine(bytes: Uint8Array): number {
  const newline = bytes.lastIndexOf(NEWLINE);
  return newline === -1 ? countWholeCharacterBytes(bytes) : newline + 1;
}

/** Returns the offset at which the last `lines` lines begin; undefined if the bytes contain no more than these. */
function findStartOfLastLines(bytes: Uint8Array, lines: number): number | undefined {
  // A newline at the end of the bytes ends the last line and begins none.
  let at = bytes.length - 1;
  for (let line = 0; line < lines; line++) {
    at = at <= 0 ? -1 : bytes.lastIndexOf(NEWLINE, at - 1);
    if (at === -1) return undefined;
  }
  return at + 1;
}

function countLines(bytes: Uint8Array): number {
  let lines = bytes.length > 0 && bytes.at(-1) !== NEWLINE ? 1 : 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

/** Moves an offset inside a UTF-8 character back to the character's first byte. */
async function findCharacterStart(log: LogFile, offset: number): Promise<number> {
  const from = Math.max(0, offset - 3);
  const bytes = await log.readBytes(from, offset + 1 - from);
  const at = offset - from;
  if (!isContinuationByte(bytes[at])) return offset;
  let start = at;
  while (start > 0 && isContinuationByte(bytes[start])) start--;
  return getSequenceLength(bytes[start]) > at - start ? from + start : offset;
}

/** Returns the offset of the first byte that begins a character. */
function findFirstCharacter(bytes: Uint8Array): number {
  let at = 0;
  while (at < 3 && isContinuationByte(bytes[at])) at++;
  return at;
}

/** Returns the length in bytes without an incomplete character at the end. */
function countWholeCharacterBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if (isContinuationByte(byte)) continue;
    return getSequenceLength(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function getSequenceLength(lead: number | undefined): number {
  if (lead === undefined || lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
