import { MAX_AGENT_OUTPUT_CHARS, MAX_STEP_CHARS } from "../../limits.ts";
import { SecretMask } from "../secrets.ts";
import { addUsage, NO_USAGE, type Usage } from "../usage.ts";
import { TailText } from "./tail_text.ts";

/** Maximum number of stored denials, and of stored calls. Chosen by planner: a repeating agent must not fill memory. */
const MAX_DENIALS = 20;

/** Transcript of an agent: its completed log lines, and its output, which is the text after the last step. */
export class AgentTranscript {
  #lines: string[] = [];
  /** Streamed text whose line has not ended. */
  #begun = "";
  #saying = new TailText(MAX_AGENT_OUTPUT_CHARS);
  #said = "";
  #final: string | null = null;
  #failure: string | null = null;
  #session: string | null = null;
  #usage: Usage | null = null;
  #message = "";
  readonly #denied = new Set<string>();
  /** Summaries of calls without a result, by call id. */
  readonly #calls = new Map<string, string>();
  /** Masks whole streamed lines, because a secret may be split across events. */
  readonly #mask: SecretMask;

  /** @param secrets see `SecretMask` */
  constructor(secrets: readonly string[]) {
    this.#mask = new SecretMask(secrets);
  }

  /** Stores the agent's session id, by which the session can be continued. */
  begin(session: string): void {
    if (session !== "") this.#session = session;
  }

  /** Adds tokens and cost since the last report. */
  spend(usage: Usage): void {
    this.#usage = addUsage(this.#usage ?? NO_USAGE, usage);
  }

  /** Sets tokens and cost of the whole run. */
  spent(usage: Usage): void {
    this.#usage = usage;
  }

  /** Stores a message id and returns whether it differs from the id of the previous call. */
  isNew(message: string): boolean {
    if (message === this.#message) return false;
    this.#message = message;
    return true;
  }

  /** Stores the summary of a call, which may be denied later. */
  remember(id: string, call: string): void {
    if (this.#calls.size >= MAX_DENIALS) this.#calls.delete(this.#calls.keys().next().value ?? "");
    this.#calls.set(id, shortenToLine(call));
  }

  /** Returns the stored summary of a call; an empty text if the id is unknown. */
  recall(id: string): string {
    return this.#calls.get(id) ?? "";
  }

  /** Adds an action that was denied to the agent. */
  deny(call: string): void {
    const denied = shortenToLine(call);
    if (denied === "" || this.#denied.has(denied) || this.#denied.size >= MAX_DENIALS) return;
    this.#denied.add(denied);
    this.note("denied", denied);
  }

  /** Adds a complete message of the agent. */
  say(text: string): void {
    this.#endLine();
    if (this.#saying.length > 0) this.#saying.add("\n");
    this.#saying.add(text);
    this.#log(text);
  }

  /** Logs a message of another speaker, such as a subagent, which is not part of the output. */
  quote(text: string): void {
    this.#endLine();
    this.#log(text);
  }

  /** Adds a piece of a message, which the next piece continues. */
  stream(text: string): void {
    const lines = (this.#begun + text).split("\n");
    this.#begun = lines.pop() ?? "";
    for (const line of lines) this.#streamed(line, "\n");
    if (this.#begun.length > MAX_AGENT_OUTPUT_CHARS) this.#endLine();
  }

  /** Logs a step of the agent with its subject. */
  step(name: string, about: string): void {
    this.#endSaying();
    this.#lines.push(shortenToLine(about === "" ? `[${name}]` : `[${name}] ${about}`));
  }

  /** Logs that a step failed. */
  stepFailed(why: string): void {
    this.note("failed", why);
  }

  note(word: string, text: string): void {
    this.#endLine();
    this.#lines.push(shortenToLine(text === "" ? `[${word}]` : `[${word}] ${text}`));
  }

  /** Stores the failure of the run as reported by the agent itself. */
  fail(why: string): void {
    this.note("error", why);
    this.#failure = shortenToLine(why === "" ? "The agent reports an error" : why);
  }

  /** Clears the failure, because the agent continues. */
  recover(): void {
    this.#failure = null;
  }

  /** Records the output that the agent reported itself. */
  finish(text: string): void {
    this.#endSaying();
    this.#final = text;
    // The agent's last text is already in the log.
    if (text.trim() !== this.#said.trim()) this.#log(text);
  }

  /** Returns the lines completed since the last call. */
  take(): readonly string[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  /** Ends an unfinished streamed line. */
  end(): void {
    this.#endSaying();
  }

  /** Output of the agent; null when it printed no text. Read it after `end`. */
  get output(): string | null {
    return this.#final ?? (this.#said === "" ? null : this.#said);
  }

  /** True while the agent has printed no text. */
  get isSilent(): boolean {
    return this.#said === "" && this.#saying.length === 0 && this.#begun === "";
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
    return [...this.#denied];
  }

  #endSaying(): void {
    this.#endLine();
    const text = this.#saying.text;
    if (text.trim() !== "") this.#said = text;
    this.#saying = new TailText(MAX_AGENT_OUTPUT_CHARS);
  }

  #endLine(): void {
    if (this.#begun !== "") this.#streamed(this.#begun, "");
    this.#begun = "";
  }

  #streamed(line: string, end: string): void {
    const masked = this.#mask.line(line);
    this.#saying.add(masked + end);
    this.#lines.push(removeCarriageReturn(masked));
  }

  #log(text: string): void {
    if (text.trim() !== "") this.#lines.push(...text.trimEnd().split("\n").map(removeCarriageReturn));
  }
}

function removeCarriageReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
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
