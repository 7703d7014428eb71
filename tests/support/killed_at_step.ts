import { join } from "node:path";
import { runCommand } from "./planner_command.ts";

const SCRIPTS = join(import.meta.dirname, "scripts");

export interface KilledOptions {
  readonly cwd: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a TypeScript program with Bun and kills it right before its `step`th change to the disk (from 1).
 *
 * @returns false when it came to its end before that
 */
export async function killedAtStep(step: number, program: readonly string[], options: KilledOptions): Promise<boolean> {
  const command = [process.execPath, "--preload", join(SCRIPTS, "die_at_step.ts"), ...program];
  const { env } = options;
  const { signal, code, stderr } = await runCommand(command, {
    ...options,
    env: { ...env, DIE_AT_STEP: String(step) },
  });
  if (signal === "SIGKILL") return true;
  if (code !== 0) throw new Error(`${program.join(" ")} ended with ${code}: ${stderr}`);
  return false;
}

/** The same for one operation of the run ports, see `scripts/use_runs.ts`. */
export function runPortsKilledAtStep(step: number, operation: readonly string[], root: string): Promise<boolean> {
  const input = `${JSON.stringify(operation)}\n`;
  return killedAtStep(step, [join(SCRIPTS, "use_runs.ts"), root], { cwd: root, input });
}

/** The same for one use of the spec store, see `scripts/use_store.ts`. */
export function storeKilledAtStep(step: number, operation: readonly string[], root: string): Promise<boolean> {
  return killedAtStep(step, [join(SCRIPTS, "use_store.ts"), root, ...operation], { cwd: root });
}
