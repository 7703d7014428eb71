import { LinesOfProcess } from "./lines_of_process.ts";
import { PLANNER } from "./planner_command.ts";

export interface Answer {
  readonly jsonrpc: string;
  readonly id: number | string | null;
  readonly result?: Record<string, unknown> & {
    readonly content?: readonly { readonly type: string; readonly text: string }[];
    readonly isError?: boolean;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A bare client that writes lines and reads lines, so that tests see the wire as it is. */
export class McpLines {
  readonly #process: LinesOfProcess;
  #lastId = 0;

  constructor(cwd: string, args: readonly string[] = ["mcp"], program = PLANNER) {
    this.#process = new LinesOfProcess([...program, ...args], cwd);
  }

  get child(): LinesOfProcess["child"] {
    return this.#process.child;
  }

  /** Writes text as it is; the caller brings the newline. */
  send(text: string): void {
    this.#process.send(text);
  }

  /** The next answer, whatever it answers. */
  async next(): Promise<Answer> {
    return (await this.#process.next()) as unknown as Answer;
  }

  request(method: string, params?: unknown): Promise<Answer> {
    this.#lastId += 1;
    this.#process.request(this.#lastId, method, params);
    return this.next();
  }

  /** Calls a tool; `text` is its one text item, `refused` its isError. */
  async tool(name: string, args: unknown = {}): Promise<{ readonly text: string; readonly refused: boolean }> {
    const { result, error } = await this.request("tools/call", { name, arguments: args });
    if (result === undefined) throw new Error(`${name}: ${JSON.stringify(error)}`);
    return { text: result.content?.[0]?.text ?? "", refused: result.isError === true };
  }

  /** Calls a tool that answers JSON. */
  async json<T = Record<string, unknown>>(name: string, args: unknown = {}): Promise<T> {
    const { text, refused } = await this.tool(name, args);
    if (refused) throw new Error(`${name} refused: ${text}`);
    return JSON.parse(text) as T;
  }

  /** Closes stdin and waits for the end; returns the exit status. */
  async end(): Promise<number | null> {
    return (await this.#process.end()).code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}
