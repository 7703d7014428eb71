import { isJsonObject } from "#kernel/json_object.ts";
import { MAX_AGENT_OUTPUT_CHARS, MAX_STEP_CHARS } from "../../limits.ts";
import { SecretMask } from "../secrets.ts";
import { addUsage, NO_USAGE, type Usage } from "../usage.ts";
import { removeCarriageReturn } from "./line_reader.ts";

/** Maximum number of stored denials, and of stored calls. Chosen by planner: a repeating agent must not fill memory. */
const MAX_DENIALS = 20;

/** Functions that record an agent's event, by event type. */
export type EventHandlers = ReadonlyMap<string, (event: AgentEvent, to: AgentTranscript) => void>;

/** Transcript of an agent: its completed log lines, and its output, which is the text after the last step. */
export class AgentTranscript {
  #lines: string[] = [];
  /** Streamed text whose line has not ended. */
  #unfinishedLine = "";
  #currentText = new TailText(MAX_AGENT_OUTPUT_CHARS);
  #lastText = "";
  #reportedOutput: string | null = null;
  #failure: string | null = null;
  #session: string | null = null;
  #usage: Usage | null = null;
  #messageId = "";
  readonly #denials = new Set<string>();
  /** Summaries of the latest tool calls, by call id, because a later denial contains only the id. */
  readonly #callSummaries = new Map<string, string>();
  /** Masks whole streamed lines, because a secret may be split across events. */
  readonly #mask: SecretMask;

  /** @param secrets see `SecretMask` */
  constructor(secrets: readonly string[]) {
    this.#mask = new SecretMask(secrets);
  }

  /** Stores the agent's session id, by which the session can be continued. */
  setSession(session: string): void {
    if (session !== "") this.#session = session;
  }

  /** Adds tokens and cost since the last report. */
  addReportedUsage(usage: Usage): void {
    this.#usage = addUsage(this.#usage ?? NO_USAGE, usage);
  }

  /** Sets tokens and cost of the whole run. */
  setUsage(usage: Usage): void {
    this.#usage = usage;
  }

  /** Stores a message id and returns whether it differs from the id of the previous call. */
  isNewMessage(message: string): boolean {
    if (message === this.#messageId) return false;
    this.#messageId = message;
    return true;
  }

  /** Stores the summary of a call, which may be denied later. */
  storeCall(id: string, call: string): void {
    if (this.#callSummaries.size >= MAX_DENIALS)
      this.#callSummaries.delete(this.#callSummaries.keys().next().value ?? "");
    this.#callSummaries.set(id, shortenToLine(call));
  }

  /** Returns the stored summary of a call; an empty text if the id is unknown. */
  getCall(id: string): string {
    return this.#callSummaries.get(id) ?? "";
  }

  /** Adds an action that was denied to the agent. */
  addDenial(call: string): void {
    const denied = shortenToLine(call);
    if (denied === "" || this.#denials.has(denied) || this.#denials.size >= MAX_DENIALS) return;
    this.#denials.add(denied);
    this.logNote("denied", denied);
  }

  /** Adds a complete message of the agent. */
  addMessage(text: string): void {
    this.#endLine();
    if (this.#currentText.length > 0) this.#currentText.add("\n");
    this.#currentText.add(text);
    this.#logLines(text);
  }

  /** Logs a message of another speaker, such as a subagent, which is not part of the output. */
  logMessage(text: string): void {
    this.#endLine();
    this.#logLines(text);
  }

  /** Adds a piece of a message, which the next piece continues. */
  addMessagePiece(text: string): void {
    const lines = (this.#unfinishedLine + text).split("\n");
    this.#unfinishedLine = lines.pop() ?? "";
    for (const line of lines) this.#addStreamedLine(line, "\n");
    if (this.#unfinishedLine.length > MAX_AGENT_OUTPUT_CHARS) this.#endLine();
  }

  /** Logs a step of the agent with its subject. */
  logStep(name: string, about: string): void {
    this.#endText();
    this.#lines.push(shortenToLine(about === "" ? `[${name}]` : `[${name}] ${about}`));
  }

  /** Logs that a step failed. */
  logStepFailure(why: string): void {
    this.logNote("failed", why);
  }

  logNote(label: string, text: string): void {
    this.#endLine();
    this.#lines.push(shortenToLine(text === "" ? `[${label}]` : `[${label}] ${text}`));
  }

  /** Stores the failure of the run as reported by the agent itself. */
  setFailure(why: string): void {
    this.logNote("error", why);
    this.#failure = shortenToLine(why === "" ? "The agent reports an error" : why);
  }

  /** Clears the failure, because the agent continues. */
  clearFailure(): void {
    this.#failure = null;
  }

  /** Records the output that the agent reported itself. */
  setOutput(text: string): void {
    this.#endText();
    this.#reportedOutput = text;
    // The agent's last text is already in the log.
    if (text.trim() !== this.#lastText.trim()) this.#logLines(text);
  }

  /** Returns the lines completed since the last call. */
  takeLines(): readonly string[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  /** Ends an unfinished streamed line. */
  end(): void {
    this.#endText();
  }

  /** Output of the agent; null when it printed no text. Read it after `end`. */
  get output(): string | null {
    return this.#reportedOutput ?? (this.#lastText === "" ? null : this.#lastText);
  }

  /** True while the agent has printed no text. */
  get isSilent(): boolean {
    return this.#lastText === "" && this.#currentText.length === 0 && this.#unfinishedLine === "";
  }

  get failure(): string | null {
    return this.#failure;
  }

  get session(): string | null {
    return this.#session;
  }

  get usage(): Usage | null {
    return this.#usage;
  }

  get denied(): readonly string[] {
    return [...this.#denials];
  }

  #endText(): void {
    this.#endLine();
    const text = this.#currentText.text;
    if (text.trim() !== "") this.#lastText = text;
    this.#currentText = new TailText(MAX_AGENT_OUTPUT_CHARS);
  }

  #endLine(): void {
    if (this.#unfinishedLine !== "") this.#addStreamedLine(this.#unfinishedLine, "");
    this.#unfinishedLine = "";
  }

  #addStreamedLine(line: string, end: string): void {
    const masked = this.#mask.line(line);
    this.#currentText.add(masked + end);
    this.#lines.push(removeCarriageReturn(masked));
  }

  #logLines(text: string): void {
    if (text.trim() !== "") this.#lines.push(...text.trimEnd().split("\n").map(removeCarriageReturn));
  }
}

function shortenToLine(text: string): string {
  // Normalizes only the start of a long text, to save time.
  const start = text
    .slice(0, MAX_STEP_CHARS * 8)
    .replace(/\s+/g, " ")
    .trim();
  return start.length <= MAX_STEP_CHARS && text.length <= MAX_STEP_CHARS * 8
    ? start
    : `${start.slice(0, MAX_STEP_CHARS)}…`;
}

/** Number of characters at which pieces are joined into a block, because many short strings take more memory. */
const BLOCK_CHARS = 8 * 1024;

/** Keeps the last `limit` characters of a growing text and little more. Cost: O(1) per character. */
export class TailText {
  readonly #limit: number;
  /** Number of characters added so far, including characters that are no longer kept. */
  #addedChars = 0;
  #blocks: string[] = [];
  #blockChars = 0;
  #pieces: string[] = [];
  #pieceChars = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(text: string): void {
    const piece = text.length > this.#limit ? text.slice(-this.#limit - 1) : text;
    this.#addedChars += text.length;
    this.#pieces.push(piece);
    this.#pieceChars += piece.length;
    if (this.#pieceChars >= BLOCK_CHARS) this.#joinPieces();
  }

  get length(): number {
    return this.#addedChars;
  }

  get text(): string {
    const kept = [...this.#blocks, ...this.#pieces].join("");
    if (this.#addedChars <= this.#limit) return kept;
    const tail = kept.slice(-this.#limit);
    // Drops the second half of a surrogate pair at the cut.
    return /^[\udc00-\udfff]/.test(tail) ? tail.slice(1) : tail;
  }

  #joinPieces(): void {
    this.#blocks.push(this.#pieces.join(""));
    this.#blockChars += this.#pieceChars;
    this.#pieces = [];
    this.#pieceChars = 0;
    while (this.#blockChars - (this.#blocks[0]?.length ?? 0) >= this.#limit) {
      this.#blockChars -= this.#blocks.shift()?.length ?? 0;
    }
  }
}

/** One JSON line of an agent. Any field may be missing or have another type. */
export type AgentEvent = Readonly<Record<string, unknown>>;

/** Returns the object under a key; an empty object if the value is missing or not an object. */
export function readObject(event: AgentEvent, key: string): AgentEvent {
  const value = readOwnValue(event, key);
  return isJsonObject(value) ? value : {};
}

export function readObjects(event: AgentEvent, key: string): readonly AgentEvent[] {
  const value = readOwnValue(event, key);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Returns the text under a key; an empty text if the value is missing or not a text. */
export function readText(event: AgentEvent, key: string): string {
  const value = readOwnValue(event, key);
  return typeof value === "string" ? value : "";
}

/** Returns the number under a key; 0 if the value is missing or not a finite number. */
export function readNumber(event: AgentEvent, key: string): number {
  const value = readOwnValue(event, key);
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

export function readOwnValue(event: AgentEvent, key: string): unknown {
  return Object.hasOwn(event, key) ? event[key] : undefined;
}

const SUBJECT_KEYS = [
  "command",
  "file_path",
  "filePath",
  "path",
  "pattern",
  "query",
  "url",
  "id",
  "description",
] as const;

/** Summarizes a tool call: its first non-empty text in the order of `SUBJECT_KEYS`, otherwise all scalar arguments. */
export function summarizeToolCall(input: AgentEvent): string {
  const subject = SUBJECT_KEYS.map((key) => readText(input, key)).find((text) => text !== "");
  if (subject !== undefined) return subject;
  return Object.entries(input)
    .filter(([, value]) => typeof value !== "object")
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(", ");
}

/** Returns the text of a message's content, which is a text or a list of blocks. */
export function readContentText(event: AgentEvent, key: string): string {
  const text = readText(event, key);
  if (text !== "") return text;
  return readObjects(event, key)
    .map((block) => readText(block, "text"))
    .filter((each) => each !== "")
    .join("\n");
}
