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

/** Ends a board; returns its exit status. */
export async function endBoard({ child }: ServedBoard, signal: NodeJS.Signals): Promise<number | null> {
  const exited = once(child, "exit");
  child.kill(signal);
  return (await exited)[0];
}

/** Ends every board of this test file. */
export function endBoards(): void {
  for (const child of running) child.kill("SIGKILL");
}
