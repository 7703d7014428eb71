import { MAX_AGENT_OUTPUT_CHARS, MAX_STEP_CHARS } from "../../limits.ts";
import { SecretMask } from "../secrets.ts";
import { addUsage, NO_USAGE, type Usage } from "../usage.ts";
import { TailText } from "./tail_text.ts";

/** Most denials that are kept. Ours: an agent that repeats itself fills no record. */
const MAX_DENIALS = 20;

/**
 * Transcript of an agent's events: log lines as they are completed and, at the end, the agent's output, which is its
 * text after its last step.
 */
export class Transcript {
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
  /** Summaries of calls without an answer, by id. */
  readonly #calls = new Map<string, string>();
  /** For streamed lines alone: a secret in pieces is whole in none of the events. */
  readonly #mask: SecretMask;

  /** @param secrets see `SecretMask` */
  constructor(secrets: readonly string[]) {
    this.#mask = new SecretMask(secrets);
  }

  /** The agent's own name for its session, by which it can be continued. */
  begin(session: string): void {
    if (session !== "") this.#session = session;
  }

  /** Consumption since the last report. */
  spend(usage: Usage): void {
    this.#usage = addUsage(this.#usage ?? NO_USAGE, usage);
  }

  /** Consumption of the whole run. */
  spent(usage: Usage): void {
    this.#usage = usage;
  }

  /** Returns whether this message differs from that of the previous call. */
  isNew(message: string): boolean {
    if (message === this.#message) return false;
    this.#message = message;
    return true;
  }

  /** A call that may be denied later on. */
  remember(id: string, call: string): void {
    if (this.#calls.size >= MAX_DENIALS) this.#calls.delete(this.#calls.keys().next().value ?? "");
    this.#calls.set(id, oneLine(call));
  }

  /** The call of this id, or an empty text. */
  recall(id: string): string {
    return this.#calls.get(id) ?? "";
  }

  /** Something that the agent was not allowed to do. */
  deny(call: string): void {
    const denied = oneLine(call);
    if (denied === "" || this.#denied.has(denied) || this.#denied.size >= MAX_DENIALS) return;
    this.#denied.add(denied);
    this.note("denied", denied);
  }

  /** A whole message. */
  say(text: string): void {
    this.#endLine();
    if (this.#saying.length > 0) this.#saying.add("\n");
    this.#saying.add(text);
    this.#log(text);
  }

  /** A message of another speaker, a helper of the agent's say, that is no output. */
  quote(text: string): void {
    this.#endLine();
    this.#log(text);
  }

  /** Adds a piece of a message; the next piece continues it. */
  stream(text: string): void {
    const lines = (this.#begun + text).split("\n");
    this.#begun = lines.pop() ?? "";
    for (const line of lines) this.#streamed(line, "\n");
    if (this.#begun.length > MAX_AGENT_OUTPUT_CHARS) this.#endLine();
  }

  /** Logs a step of the agent with its subject. */
  step(name: string, about: string): void {
    this.#endSaying();
    this.#lines.push(oneLine(about === "" ? `[${name}]` : `[${name}] ${about}`));
  }

  /** A step that went wrong. */
  stepFailed(why: string): void {
    this.note("failed", why);
  }

  note(word: string, text: string): void {
    this.#endLine();
    this.#lines.push(oneLine(text === "" ? `[${word}]` : `[${word}] ${text}`));
  }

  /** The agent says itself that its run failed. */
  fail(why: string): void {
    this.note("error", why);
    this.#failure = oneLine(why === "" ? "The agent reports an error" : why);
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

  /** The lines since the last call. */
  take(): readonly string[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  /** Ends a line that the stream left open. */
  end(): void {
    this.#endSaying();
  }

  /** Null when the agent said nothing. Call it behind `end`. */
  get output(): string | null {
    return this.#final ?? (this.#said === "" ? null : this.#said);
  }

  /** True as long as nothing was said. */
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
    this.#lines.push(withoutReturn(masked));
  }

  #log(text: string): void {
    if (text.trim() !== "") this.#lines.push(...text.trimEnd().split("\n").map(withoutReturn));
  }
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function oneLine(text: string): string {
  // Reads only as much as can be shown.
  const start = text
    .slice(0, MAX_STEP_CHARS * 8)
    .replace(/\s+/g, " ")
    .trim();
  return start.length <= MAX_STEP_CHARS && text.length <= MAX_STEP_CHARS * 8
    ? start
    : `${start.slice(0, MAX_STEP_CHARS)}…`;
}
