import { fileURLToPath, URL } from "node:url";

declare const Deno: { execPath(): string; readonly build: { readonly standalone: boolean } } | undefined;

/**
 * Returns the command that starts this program again, without arguments: the executable alone if compiled, otherwise
 * the engine and `src/main.ts`. Pass `getSelfEnvironment()` to the child process.
 */
export function getSelfCommand(): readonly string[] {
  const source = new URL("../main.ts", import.meta.url);
  if (typeof Deno !== "undefined") {
    return Deno.build.standalone ? [Deno.execPath()] : [Deno.execPath(), "run", "-A", fileURLToPath(source)];
  }
  return isInsideExecutable(source) ? [process.execPath] : [process.execPath, fileURLToPath(source)];
}

/** Whether the URL of a module is inside a Bun executable, on a file system that exists only there. */
export function isInsideExecutable({ pathname }: URL): boolean {
  return pathname.startsWith("/$bunfs/") || pathname.includes("/~BUN/");
}

/** Returns this process's environment without the variable that makes a compiled program act as plain Bun. */
export function getSelfEnvironment(): Record<string, string | undefined> {
  const { BUN_BE_BUN: _, ...environment } = process.env;
  return environment;
}
