import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/** A process that does nothing until it is ended. */
export interface Sleeper extends AsyncDisposable {
  readonly pid: number;
  /** The signal that ended it. */
  readonly ended: Promise<NodeJS.Signals | null>;
}

/** @param words further words of its command line */
export function sleeper(...words: readonly string[]): Sleeper {
  const child: ChildProcess = spawn(process.execPath, ["-e", "setTimeout(() => {}, 600_000)", ...words], {
    stdio: "ignore",
  });
  awaitCommandLine(child.pid ?? 0, words);
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.on("exit", (_code, signal) => resolve(signal));
  });
  return {
    pid: child.pid ?? 0,
    ended,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Blocks until the process shows its own command line: for a moment after its start it has that of its parent. */
function awaitCommandLine(pid: number, words: readonly string[]): void {
  const file = `/proc/${pid}/cmdline`;
  while (existsSync(file) && !words.every((word) => readFileSync(file, "utf8").split("\0").includes(word))) {
    Bun.sleepSync(1);
  }
}
