import { McpServer, type ServingEnd } from "#interfaces/mcp/server.ts";
import type { CallSubject, McpTool, ToolSet } from "#interfaces/mcp/tool_set.ts";
import type { ToolResult } from "#kernel/tool.ts";

type Answer = Record<string, unknown>;

export interface TestTool {
  readonly name: string;
  readonly writes?: boolean;
  readonly slow?: boolean;
  call(args: unknown, signal: AbortSignal): Promise<ToolResult>;
}

/** A tool set of the test's own; a call is about the spec that its `id` names. */
export function testTools(tools: readonly TestTool[]): ToolSet {
  return new Map(tools.map((tool) => [tool.name, served(tool)]));
}

function served({ name, writes = false, slow = false, call }: TestTool): McpTool {
  return {
    listing: {
      name,
      description: `The test's ${name}`,
      inputSchema: { type: "object", properties: {} },
      annotations: writes ? { destructiveHint: false } : { readOnlyHint: true },
    },
    isWrite: writes,
    isSlow: () => slow,
    findSubject: (args): CallSubject => {
      const id = (args as { id?: string } | undefined)?.id;
      return id === undefined ? "whole" : { key: id };
    },
    call,
  };
}

export interface ServedOptions {
  readonly loadTools: () => Promise<ToolSet>;
  /** Replaces the sink that takes every byte at once. */
  readonly write?: (bytes: Uint8Array) => Promise<void>;
}

/** A server in this process between a stream that the test feeds and a list of what it answered. */
export class Served {
  readonly answers: Answer[] = [];
  readonly log: string[] = [];
  readonly server: McpServer;
  readonly ending: Promise<ServingEnd>;
  /** Chunks that the server has asked for so far. */
  taken = 0;
  readonly #stop = new AbortController();
  readonly #chunks: Uint8Array[] = [];
  #wake: () => void = () => {};
  #ended = false;
  #broken: Error | undefined;
  #rest = "";

  constructor({ loadTools, write }: ServedOptions) {
    this.server = new McpServer({
      info: { name: "test", version: "9.8.7" },
      input: this.#input(),
      output: { write: write ?? (async (bytes) => this.#answer(bytes)) },
      loadTools,
      log: (text) => this.log.push(text),
    });
    this.ending = this.server.serve(this.#stop.signal);
  }

  send(chunk: string | Uint8Array): void {
    this.#chunks.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
    this.#wake();
  }

  /** Sends a request as one line. */
  request(id: number | string, method: string, params?: unknown): void {
    this.send(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  }

  call(id: number | string, name: string, args: unknown = {}): void {
    this.request(id, "tools/call", { name, arguments: args });
  }

  notify(method: string, params: unknown): void {
    this.send(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`);
  }

  /** Waits until `count` answers have come. */
  async answered(count: number): Promise<readonly Answer[]> {
    while (this.answers.length < count) await turn();
    return this.answers;
  }

  /** The ids of the answers so far. */
  get ids(): unknown[] {
    return this.answers.map(({ id }) => id);
  }

  endInput(): void {
    this.#ended = true;
    this.#wake();
  }

  /** Makes reading fail after what was sent. */
  breakInput(error: Error): void {
    this.#broken = error;
    this.#wake();
  }

  /** Ends the input and waits for the server. */
  end(): Promise<ServingEnd> {
    this.endInput();
    return this.ending;
  }

  stop(): Promise<ServingEnd> {
    this.#stop.abort();
    return this.ending;
  }

  async *#input(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.taken += 1;
        yield chunk;
      } else if (this.#broken !== undefined) {
        throw this.#broken;
      } else if (this.#ended) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  #answer(bytes: Uint8Array): void {
    const lines = (this.#rest + new TextDecoder().decode(bytes)).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.answers.push(JSON.parse(line));
  }
}

/** One turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Enough turns for everything that is not held up to happen. */
export async function settle(): Promise<void> {
  for (let count = 0; count < 20; count += 1) await turn();
}

/** A thing that the test opens when it wants to. */
export class Latch {
  readonly opened: Promise<void>;
  #open: () => void = () => {};

  constructor() {
    this.opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open();
  }
}

export const echo: TestTool = { name: "echo", call: async (args) => ({ value: args }) };

/** A server of `echo` and these tools. */
export function serve(...tools: readonly TestTool[]): Served {
  return new Served({ loadTools: async () => testTools([echo, ...tools]) });
}

/** A tool that ends when its latch is opened, and knows whether it was told to stop. */
export function waiting(
  name: string,
  latch: Latch,
  kind: Partial<TestTool> = {},
): TestTool & { readonly aborted: () => boolean } {
  let signal: AbortSignal | undefined;
  return {
    name,
    ...kind,
    call: async (_, given) => {
      signal = given;
      await latch.opened;
      return { value: name };
    },
    aborted: () => signal?.aborted === true,
  };
}

/** The text of a tool's answer. */
export function textOf(answer: unknown): string {
  return (answer as { result: { content: [{ text: string }] } }).result.content[0].text;
}
