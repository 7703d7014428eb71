import { spawn, spawnSync } from "node:child_process";

/** util-linux's, on every Debian; it runs a command on a terminal of its own. */
const PROGRAM = "script";

export interface TerminalResult {
  readonly code: number | null;
  /** Everything that the terminal showed, escape sequences included. */
  readonly screen: string;
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly columns?: number;
  /** What is typed, each when the screen has shown its `after` (again). */
  readonly typing?: readonly { readonly after: string; readonly keys: string }[];
}

/** Why there is no pseudo terminal here, or null: only util-linux's `script` takes a command and gives its status. */
export const NO_PSEUDO_TERMINAL: string | null = spawnSync(PROGRAM, ["--version"], {
  encoding: "utf8",
}).stdout?.includes("util-linux")
  ? null
  : "needs util-linux's script";

export function runOnTerminal(command: readonly string[], options: TerminalOptions): Promise<TerminalResult> {
  const { cwd, env = {}, columns = 80, typing = [] } = options;
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const line = `stty cols ${columns} rows 24; exec ${quoted}`;
  const { NO_COLOR: _, COLUMNS: __, ...inherited } = process.env;
  return new Promise((resolve, reject) => {
    const child = spawn(PROGRAM, ["--quiet", "--return", "--command", line, "/dev/null"], {
      cwd,
      env: { ...inherited, TERM: "xterm", SHELL: "/bin/sh", ...env },
    });
    let screen = "";
    let seen = 0;
    let next = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      screen += chunk.toString();
      const step = typing[next];
      const found = step === undefined ? -1 : screen.indexOf(step.after, seen);
      if (step === undefined || found === -1) return;
      seen = screen.length;
      next += 1;
      child.stdin.write(step.keys);
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, screen }));
  });
}
