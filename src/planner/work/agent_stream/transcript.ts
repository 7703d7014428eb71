import { MAX_AGENT_OUTPUT_CHARS, MAX_STEP_CHARS } from "../../limits.ts";
import { SecretMask } from "../secrets.ts";
import { addUsage, NO_USAGE, type Usage } from "../usage.ts";
import type { AgentEvent } from "./event.ts";
import { removeCarriageReturn } from "./line_reader.ts";
import { TailText } from "./tail_text.ts";

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
