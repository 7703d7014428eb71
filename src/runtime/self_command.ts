import { fileURLToPath, URL } from "node:url";

declare const Deno: { execPath(): string; readonly build: { readonly standalone: boolean } } | undefined;

/**
 * Returns the command that starts this program again, to which arguments are appended: the executable alone if
 * compiled, else the engine and `src/main.ts`. Pass `selfEnvironment()` to the child.
 */
export function selfCommand(): readonly string[] {
  const source = new URL("../main.ts", import.meta.url);
  if (typeof Deno !== "undefined") {
    return Deno.build.standalone ? [Deno.execPath()] : [Deno.execPath(), "run", "-A", fileURLToPath(source)];
  }
  return isInsideExecutable(source) ? [process.execPath] : [process.execPath, fileURLToPath(source)];
}

/** Whether a module is inside a Bun executable, on a file system that exists only there. */
export function isInsideExecutable({ pathname }: URL): boolean {
  return pathname.startsWith("/$bunfs/") || pathname.includes("/~BUN/");
}

/** This process's environment without the variable that would turn a compiled program into a plain Bun. */
export function selfEnvironment(): Record<string, string | undefined> {
  const { BUN_BE_BUN: _, ...environment } = process.env;
  return environment;
}
