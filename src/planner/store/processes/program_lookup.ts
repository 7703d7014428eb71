import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Whether a program can be found on the PATH of `env`. One that is named by a path counts as there: it depends on the
 * folder that it is started in.
 */
export function isProgramThere(program: string, env: Readonly<Record<string, string | undefined>>): boolean {
  if (/[\\/]/.test(program)) return true;
  // Without a PATH the system searches its default folders.
  return pathOf(env) === undefined || findProgram(program, env) !== null;
}

/** Returns the path of a program that is named without one, or null if no folder of the PATH has it. */
export function findProgram(program: string, env: Readonly<Record<string, string | undefined>>): string | null {
  const names = [program, ...endings(env).map((ending) => program + ending)];
  const folders = pathOf(env)?.split(delimiter) ?? [];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isProgram) ?? null;
}

function pathOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env["PATH"] ?? env["Path"];
}

function endings(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return process.platform === "win32" ? (env["PATHEXT"] ?? ".COM;.EXE;.BAT;.CMD").split(";") : [];
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
