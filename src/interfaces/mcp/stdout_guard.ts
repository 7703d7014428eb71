import { Console } from "node:console";
import type { Talk } from "./talk.ts";

// Deno and Bun do not agree on the type of the global.
const theConsole = Reflect.get(globalThis, "console") as object;

/**
 * Turns everything that code prints into talk from here on, so that standard output carries protocol lines only:
 * `process.stdout` and the console, which some engines print from without it. Call it before foreign code is loaded and
 * after the server took hold of standard output. A child process must not inherit standard output.
 */
export function guardStandardOutput(talk: Talk): void {
  const { stdout } = process;
  const write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    talk.say(chunk);
    const done = rest.at(-1);
    if (typeof done === "function") queueMicrotask(() => done());
    return true;
  };
  stdout.write = write as typeof stdout.write;
  stdout.end = ((chunk?: unknown) => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) talk.say(chunk);
    return stdout;
  }) as typeof stdout.end;
  // `write` is Bun's own.
  Object.assign(theConsole, consoleMethods(talk), { write });
}

function consoleMethods(talk: Talk): Record<string, unknown> {
  const source = new Console({ stdout: talk, stderr: talk });
  const methods: Record<string, unknown> = {};
  for (const name of Object.keys(theConsole)) {
    const method: unknown = Reflect.get(source, name);
    if (typeof method !== "function") continue;
    methods[name] = (...values: readonly unknown[]) => {
      if (!talk.full) method.apply(source, values);
    };
  }
  return methods;
}
