import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Whether a program can be found on the PATH of `env`. One that is named by a path counts as there: it depends on the
 * folder that it is started in.
 */
export function isProgramThere(program: string, env: Readonly<Record<string, string | undefined>>): boolean {
  if (/[\\/]/.test(program)) return true;
  const path = env["PATH"] ?? env["Path"];
  // The system then searches its default folders.
  if (path === undefined) return true;
  const names = [program, ...endings(env).map((ending) => program + ending)];
  return path.split(delimiter).some((folder) => names.some((name) => isProgram(join(folder, name))));
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
