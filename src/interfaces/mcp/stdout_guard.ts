import { Console } from "node:console";

// Deno and Bun do not agree on the type of the global.
const theConsole = Reflect.get(globalThis, "console") as object;

/**
 * Sends everything that code prints to standard error from here on, so that standard output carries protocol lines only:
 * `process.stdout` and the console, which some engines print from without it. Call it before foreign code is loaded and
 * after the server took hold of its own way out. A child process must not inherit standard output.
 */
export function guardStandardOutput(): void {
  const { stdout, stderr } = process;
  // A client may close standard error, which is no reason to end.
  stderr.on("error", () => {});
  const write = stderr.write.bind(stderr) as typeof stdout.write;
  stdout.write = write;
  stdout.end = ((chunk?: unknown) => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) write(chunk);
    return stdout;
  }) as typeof stdout.end;
  // `write` is Bun's own.
  Object.assign(theConsole, methodsOf(new Console({ stdout: stderr, stderr })), { write });
}

// A Console keeps some methods on its prototype, and takes them only with itself as `this`.
function methodsOf(source: Console): Record<string, unknown> {
  const methods: Record<string, unknown> = {};
  for (const name of Object.keys(theConsole)) {
    const method: unknown = Reflect.get(source, name);
    if (typeof method === "function") methods[name] = method.bind(source);
  }
  return methods;
}
