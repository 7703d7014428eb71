import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
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
  readonly child: ChildProcessWithoutNullStreams;
  readonly #answers: Answer[] = [];
  readonly #waiting: ((answer: Answer) => void)[] = [];
  #rest = "";
  #lastId = 0;

  constructor(cwd: string, args: readonly string[] = ["mcp"]) {
    const [program = "", ...first] = PLANNER;
    this.child = spawn(program, [...first, ...args], { cwd, stdio: "pipe" });
    this.child.stdin.on("error", () => {});
    this.child.stdout.setEncoding("utf8");
    this.child.stdout.on("data", (chunk: string) => {
      const lines = (this.#rest + chunk).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) this.#take(JSON.parse(line));
    });
  }

  #take(answer: Answer): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#answers.push(answer);
    else waiting(answer);
  }

  /** Writes text as it is; the caller brings the newline. */
  send(text: string): void {
    this.child.stdin.write(text);
  }

  /** The next answer, whatever it answers. */
  next(): Promise<Answer> {
    const answer = this.#answers.shift();
    return answer === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(answer);
  }

  request(method: string, params?: unknown): Promise<Answer> {
    this.#lastId += 1;
    this.send(`${JSON.stringify({ jsonrpc: "2.0", id: this.#lastId, method, params })}\n`);
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
  end(): Promise<number | null> {
    return new Promise((resolve) => {
      if (this.child.exitCode !== null) resolve(this.child.exitCode);
      this.child.on("close", resolve);
      this.child.stdin.end();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}
