import { fileURLToPath } from "node:url";

declare const Deno: { execPath(): string; readonly build: { readonly standalone: boolean } } | undefined;

/**
 * The argument list that starts this same program again, arguments to be appended: the executable alone when compiled,
 * else the engine and `src/main.ts`. Give the child `selfEnvironment()`.
 */
export function selfCommand(): readonly string[] {
  const source = new URL("../main.ts", import.meta.url);
  if (typeof Deno !== "undefined") {
    return Deno.build.standalone ? [Deno.execPath()] : [Deno.execPath(), "run", "-A", fileURLToPath(source)];
  }
  // A Bun executable's own modules lie on a file system that exists only inside it.
  const compiled = source.pathname.startsWith("/$bunfs/") || source.pathname.includes("/~BUN/");
  return compiled ? [process.execPath] : [process.execPath, fileURLToPath(source)];
}

/** This process's environment without the variable that would turn a compiled program into a plain Bun. */
export function selfEnvironment(): Record<string, string | undefined> {
  const { BUN_BE_BUN: _, ...environment } = process.env;
  return environment;
}
