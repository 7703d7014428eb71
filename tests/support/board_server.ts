import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { PLANNER } from "./planner_command.ts";

const running: ChildProcess[] = [];

/** A running `planner board`. */
export interface ServedBoard {
  readonly child: ChildProcess;
  readonly address: string;
}

/** Serves the board of a project. @param port 0 for a free one */
export async function serveBoard(root: string, port = 0): Promise<ServedBoard> {
  const [program = "", ...words] = PLANNER;
  const child = spawn(program, [...words, "board", "--no-open", "--port", String(port)], {
    cwd: root,
    stdio: ["ignore", "pipe", "ignore"],
  });
  running.push(child);
  let said = "";
  for await (const chunk of child.stdout ?? []) {
    said += chunk;
    const address = /http:\S+(?=\n)/.exec(said)?.[0];
    if (address !== undefined) return { child, address };
  }
  throw new Error(`The board said "${said}"`);
}

export async function endBoard({ child }: ServedBoard, signal: NodeJS.Signals): Promise<number | null> {
  const exited = once(child, "exit");
  child.kill(signal);
  return (await exited)[0];
}

export function endBoards(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** A program that has opened a board's address as a browser does. */
export class BoardClient {
  readonly #origin: string;
  readonly #headers: Readonly<Record<string, string>>;

  private constructor(origin: string, headers: Readonly<Record<string, string>>) {
    this.#origin = origin;
    this.#headers = headers;
  }

  static async open(address: string): Promise<BoardClient> {
    const { headers } = await fetch(address, { redirect: "manual" });
    const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
    const key = /#key=(.+)$/.exec(headers.get("location") ?? "")?.[1] ?? "";
    return new BoardClient(new URL(address).origin, { cookie, "x-board-key": key });
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  async get(path: string): Promise<any> {
    return (await fetch(`${this.#origin}${path}`, { headers: this.#headers })).json();
  }

  /** The status and the answer of a command. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  async carryOut(command: object): Promise<{ readonly status: number; readonly answer: any }> {
    const headers = { ...this.#headers, "content-type": "application/json" };
    const response = await fetch(`${this.#origin}/do`, { method: "POST", headers, body: JSON.stringify(command) });
    return { status: response.status, answer: await response.json() };
  }

  /** Every event of the stream from a revision on. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  async *events(revision: number): AsyncGenerator<any> {
    const response = await fetch(`${this.#origin}/stream?revision=${revision}`, { headers: this.#headers });
    let rest = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      rest += chunk;
      const frames = rest.split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (data !== undefined) yield JSON.parse(data);
      }
    }
  }
}
