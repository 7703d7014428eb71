import { Console } from "node:console";
import type { StderrWriter } from "./stderr_writer.ts";

// Deno and Bun do not agree on the type of the global.
const theConsole = Reflect.get(globalThis, "console") as object;

/**
 * Redirects everything that other code prints to standard error, so that stdout carries only protocol lines: both
 * `process.stdout` and the console, which some engines print without it. Call it before loading foreign code, and after
 * the server has acquired standard output. A child process must not inherit standard output.
 */
export function guardStandardOutput(stderr: StderrWriter): void {
  const { stdout } = process;
  const write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    stderr.say(chunk);
    const done = rest.at(-1);
    if (typeof done === "function") queueMicrotask(() => done());
    return true;
  };
  stdout.write = write as typeof stdout.write;
  stdout.end = ((chunk?: unknown) => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) stderr.say(chunk);
    return stdout;
  }) as typeof stdout.end;
  // Only Bun's console has a method `write`.
  Object.assign(theConsole, createStderrConsole(stderr), { write });
}

function createStderrConsole(stderr: StderrWriter): Record<string, unknown> {
  const source = new Console({ stdout: stderr, stderr: stderr });
  const methods: Record<string, unknown> = {};
  for (const name of Object.keys(theConsole)) {
    const method: unknown = Reflect.get(source, name);
    if (typeof method !== "function") continue;
    methods[name] = (...values: readonly unknown[]) => {
      if (!stderr.full) method.apply(source, values);
    };
  }
  return methods;
}
