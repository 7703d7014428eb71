import { isJsonObject, tryParseJson } from "#kernel/json_object.ts";
import type { StreamKind } from "../config/config.ts";
import { MAX_AGENT_LINE_BYTES, MAX_AGENT_OUTPUT_CHARS } from "../limits.ts";
import {
  CLAUDE_EVENT_HANDLERS,
  CODEX_EVENT_HANDLERS,
  COPILOT_EVENT_HANDLERS,
  CURSOR_EVENT_HANDLERS,
  GEMINI_EVENT_HANDLERS,
  OPENCODE_EVENT_HANDLERS,
} from "./agent_stream/event_handlers.ts";
import { type DecodedLine, LineReader } from "./agent_stream/line_reader.ts";
import { type AgentEvent, AgentTranscript, type EventHandlers, readText, TailText } from "./agent_stream/transcript.ts";
import { SecretMask } from "./secrets.ts";
import type { Usage } from "./usage.ts";

/** Parses the standard output of one agent. */
export interface AgentStream {
  /** Returns the log lines that these bytes complete, without line breaks. Never throws, whatever the bytes are. */
  push(chunk: Uint8Array): readonly string[];
  /** Tokens and cost that the agent has reported so far; null before its first report. */
  readonly usage: Usage | null;
  /** Actions that were denied so far. */
  readonly denied: readonly string[];
  /** Session id that the agent assigned; null before the agent reported it. */
  readonly session: string | null;
  /** Returns the remaining data. Call it once, after the stream has ended. */
  end(): AgentStreamResult;
}

export interface AgentStreamResult {
  /** The last lines for the log. */
  readonly lines: readonly string[];
  /** The agent's output: its last message, or all of its text if it prints plain text. */
  readonly output: string;
  /** Failure that the agent itself reported, whatever its exit status is; null if none. */
  readonly failure: string | null;
  /** Session id that the agent assigned; null if it reported none. */
  readonly session: string | null;
  readonly usage: Usage | null;
  readonly denied: readonly string[];
}

/** Event handlers by stream kind and event type. Events of other types are ignored. */
const EVENT_HANDLERS: Readonly<Record<Exclude<StreamKind, "text">, EventHandlers>> = {
  claude: CLAUDE_EVENT_HANDLERS,
  copilot: COPILOT_EVENT_HANDLERS,
  codex: CODEX_EVENT_HANDLERS,
  gemini: GEMINI_EVENT_HANDLERS,
  cursor: CURSOR_EVENT_HANDLERS,
  opencode: OPENCODE_EVENT_HANDLERS,
};

/**
 * Opens a reader for one run. The result does not depend on how the bytes are split into chunks. A line that is not an
 * event goes to the log unchanged. Masks secrets in everything that it returns, see `SecretMask`.
 *
 * @param secrets values that the process received, see `AgentProcess.secrets`
 *
 * Source: docs/decisions.md#s-22; docs/providers.md names the agents of these events.
 */
export function openAgentStream(
  kind: StreamKind,
  secrets: readonly string[],
  limitBytes = MAX_AGENT_LINE_BYTES,
): AgentStream {
  return kind === "text"
    ? new PlainStream(secrets, limitBytes)
    : new EventStream(EVENT_HANDLERS[kind], secrets, limitBytes);
}

class PlainStream implements AgentStream {
  readonly usage = null;
  readonly denied = [];
  readonly session = null;
  readonly #lines: LineReader;
  readonly #output = new TailText(MAX_AGENT_OUTPUT_CHARS);
  readonly #mask: SecretMask;

  constructor(secrets: readonly string[], limitBytes: number) {
    this.#mask = new SecretMask(secrets);
    this.#lines = new LineReader({ limitBytes, onLong: "split" });
  }

  push(chunk: Uint8Array): readonly string[] {
    return this.#maskLines(this.#lines.push(chunk));
  }

  end(): AgentStreamResult {
    const lines = this.#maskLines(this.#lines.end());
    return { lines, output: this.#output.text, failure: null, session: null, usage: null, denied: [] };
  }

  #maskLines(lines: readonly DecodedLine[]): readonly string[] {
    const texts: string[] = [];
    for (const line of lines) {
      const isPiece = typeof line === "object" && "piece" in line;
      const text = isPiece ? this.#mask.line(line.piece, false) : this.#mask.line(formatDecodedLine(line));
      this.#output.add(text);
      if (!isPiece) this.#output.add("\n");
      texts.push(text);
    }
    return texts;
  }
}

class EventStream implements AgentStream {
  readonly #handlers: EventHandlers;
  readonly #lines: LineReader;
  readonly #transcript: AgentTranscript;
  readonly #mask: SecretMask;
  /** Lines that are not events: the output of an agent that prints plain text. */
  readonly #plainText = new TailText(MAX_AGENT_OUTPUT_CHARS);

  constructor(events: EventHandlers, secrets: readonly string[], limitBytes: number) {
    this.#handlers = events;
    this.#mask = new SecretMask(secrets);
    this.#transcript = new AgentTranscript(secrets);
    this.#lines = new LineReader({ limitBytes, onLong: "leave_out" });
  }

  get usage(): Usage | null {
    return this.#transcript.usage;
  }

  get denied(): readonly string[] {
    return this.#transcript.denied;
  }

  get session(): string | null {
    return this.#transcript.session;
  }

  push(chunk: Uint8Array): readonly string[] {
    for (const line of this.#lines.push(chunk)) this.#readLine(line);
    return this.#transcript.takeLines();
  }

  end(): AgentStreamResult {
    for (const line of this.#lines.end()) this.#readLine(line);
    this.#transcript.end();
    return {
      lines: this.#transcript.takeLines(),
      output: this.#transcript.output ?? this.#plainText.text,
      failure: this.#transcript.failure,
      session: this.#transcript.session,
      usage: this.#transcript.usage,
      denied: this.#transcript.denied,
    };
  }

  #readLine(line: DecodedLine): void {
    const text = this.#mask.line(formatDecodedLine(line)).trimEnd();
    const event = typeof line === "string" ? parseAgentEvent(text) : undefined;
    if (event !== undefined) this.#handlers.get(readText(event, "type"))?.(event, this.#transcript);
    else if (text !== "") {
      this.#plainText.add(`${text}\n`);
      this.#transcript.logMessage(text);
    }
  }
}

function formatDecodedLine(line: DecodedLine): string {
  if (typeof line === "string") return line;
  return "piece" in line ? line.piece : `[a line of ${line.leftOutBytes} bytes was left out]`;
}

function parseAgentEvent(text: string): AgentEvent | undefined {
  // A line that was truncated or is not an event is logged unchanged.
  const value = /^\s*\{/.test(text) ? tryParseJson(text) : undefined;
  return isJsonObject(value) ? value : undefined;
}
