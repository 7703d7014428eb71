import { statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import { fileURLToPath, URL } from "node:url";
import { OperationError } from "#kernel/errors.ts";

declare const Deno: { execPath(): string; readonly build: { readonly standalone: boolean } } | undefined;

/**
 * Returns the command that starts this program again, without arguments: the executable alone if compiled, otherwise
 * the engine and `src/main.ts`. Pass `getSelfEnvironment()` to the child process.
 *
 * @throws OperationError `unavailable` if the executable is gone since this process began
 */
export function getSelfCommand(): readonly string[] {
  const source = new URL("../main.ts", import.meta.url);
  const isDeno = typeof Deno !== "undefined";
  const program = findStartedProgram(isDeno ? Deno.execPath() : process.execPath, process.argv0);
  if (isDeno) return Deno.build.standalone ? [program] : [program, "run", "-A", fileURLToPath(source)];
  return isInsideExecutable(source) ? [program] : [program, fileURLToPath(source)];
}

/**
 * Returns the path of this process's program, also after an upgrade. Linux adds words to the path of a replaced file;
 * where each version has a separate folder, the name by which the program was called leads to the new one.
 *
 * @param started path of the program as the system names it now
 * @param called the program as it was called: a path, or a name on the PATH
 * @throws OperationError `unavailable` if neither leads to a program
 */
export function findStartedProgram(started: string, called: string, path = process.env["PATH"] ?? ""): string {
  const plain = started.replace(/ \(deleted\)$/, "");
  const folders = /[\\/]/.test(called) ? [process.cwd()] : path.split(delimiter).filter((folder) => folder !== "");
  const found = [started, plain, ...folders.map((folder) => resolve(folder, called))].find(isFile);
  if (found !== undefined) return found;
  throw new OperationError(
    "unavailable",
    `Cannot start "${plain}" again: it is gone since this process began${RESTART}`,
  );
}

const RESTART = ": restart this process, for example the MCP server or the board";

/** Returns words for the error of a child process, if an upgrade has replaced this process's program; else none. */
export function describeReplacedProgram(): string {
  try {
    // Linux keeps the replaced file there. Other systems do not tell.
    if (statSync("/proc/self/exe").ino === statSync(getSelfCommand()[0] ?? "").ino) return "";
    return `; the program was replaced since this process began${RESTART}`;
  } catch {
    return "";
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
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
