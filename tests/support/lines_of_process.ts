import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

/** How a process ended and everything that it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly string[];
  readonly stderr: string;
}

/** A process whose standard output is read line by line, as fast or as slowly as the test wants. */
export class LinesOfProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  readonly #lines: string[] = [];
  readonly #waiting: { resolve(line: string): void; reject(error: Error): void }[] = [];
  readonly #read: string[] = [];
  #stderr = "";
  #rest = "";

  constructor([program = "", ...args]: readonly string[], cwd: string) {
    this.child = spawn(program, args, { cwd, stdio: "pipe" });
    this.child.stdin.on("error", () => {});
    this.child.stdout.setEncoding("utf8").on("data", (chunk: string) => this.#take(chunk));
    this.child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      this.#stderr += chunk;
    });
    this.ended = new Promise((resolve) => {
      this.child.on("close", (code, signal) => {
        const rest = this.#rest === "" ? [] : [this.#rest];
        const error = new Error(`The process ended (${code ?? signal}): ${this.#stderr}`);
        for (const { reject } of this.#waiting) reject(error);
        resolve({ code, signal, lines: [...this.#read, ...rest], stderr: this.#stderr });
      });
    });
  }

  /** What it has written to standard error so far. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Writes text or bytes as they are. */
  send(chunk: string | Uint8Array): void {
    this.child.stdin.write(chunk);
  }

  request(id: number | string, method: string, params?: unknown): void {
    this.send(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  }

  call(id: number | string, name: string, args: unknown = {}): void {
    this.request(id, "tools/call", { name, arguments: args });
  }

  /** The next line as JSON; rejects when the process ends before it. */
  async next(): Promise<Record<string, unknown>> {
    const line =
      this.#lines.shift() ?? (await new Promise<string>((resolve, reject) => this.#waiting.push({ resolve, reject })));
    return JSON.parse(line);
  }

  /** Closes standard input and waits for the end. */
  end(): Promise<Ended> {
    this.child.stdin.end();
    return this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
  }

  #take(chunk: string): void {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      this.#read.push(line);
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#lines.push(line);
      else waiting.resolve(line);
    }
  }
}
