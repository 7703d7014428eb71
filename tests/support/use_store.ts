import { spawn } from "node:child_process";
import { join } from "node:path";

const SCRIPT = join(import.meta.dirname, "scripts", "use_store.ts");

export interface UseOptions {
  /** Command that runs the process under its own conditions: `["bash", "-c", "ulimit -f 1; exec \"$@\"", "-"]`. */
  readonly within?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Uses the store at `root` from a process of its own and returns what it answered. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export function useStore(root: string, words: readonly string[], options: UseOptions = {}): Promise<any> {
  const [program = "", ...args] = [...(options.within ?? []), process.execPath, SCRIPT, root, ...words];
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...options.env },
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) resolve(JSON.parse(output));
      else reject(new Error(`${words.join(" ")} ended with ${signal ?? code}`));
    });
  });
}
