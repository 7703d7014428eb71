import { Console } from "node:console";
import type { StderrWriter } from "./stderr_writer.ts";

// Deno and Bun do not agree on the type of the global.
const globalConsole = Reflect.get(globalThis, "console") as object;

/**
 * Redirects everything that other code prints to standard error, so that stdout carries only protocol lines: both
 * `process.stdout` and the console, which some engines print without it. Call it before loading foreign code, and after
 * the server has acquired standard output. A child process must not inherit standard output.
 */
export function guardStandardOutput(stderr: StderrWriter): void {
  const { stdout } = process;
  const writeToStderr = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    stderr.writeUnlessFull(chunk);
    const done = rest.at(-1);
    if (typeof done === "function") queueMicrotask(() => done());
    return true;
  };
  stdout.write = writeToStderr as typeof stdout.write;
  stdout.end = ((chunk?: unknown) => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) stderr.writeUnlessFull(chunk);
    return stdout;
  }) as typeof stdout.end;
  // Only Bun's console has a method `write`.
  Object.assign(globalConsole, createStderrConsole(stderr), { write: writeToStderr });
}

function createStderrConsole(stderr: StderrWriter): Record<string, unknown> {
  const source = new Console({ stdout: stderr, stderr: stderr });
  const methods: Record<string, unknown> = {};
  for (const name of Object.keys(globalConsole)) {
    const method: unknown = Reflect.get(source, name);
    if (typeof method !== "function") continue;
    methods[name] = (...values: readonly unknown[]) => {
      if (!stderr.isFull) method.apply(source, values);
    };
  }
  return methods;
}
