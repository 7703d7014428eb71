import { readdirSync } from "node:fs";
import { join } from "node:path";
import { OUT } from "../../release/release.ts";
import { run } from "../../release/shell.ts";
import { emptyFolder } from "./main_jobs.ts";

/** What an installed program does in most places. */
export const ALL_JOBS = "init, add, list, lint, mcp; dc sample, render, serve, JSON, gRPC, console, SIGTERM";

/** One artefact in one place. */
export interface Check {
  readonly artefact: string;
  readonly place: string;
  /** What is done there, as documents state it. */
  readonly jobs: string;
  /** Programs of this machine that the check needs. */
  readonly needs: readonly string[];
  /** Files of the release that it is about. */
  readonly files: readonly string[];
  /** Returns what was run; throws when something fails. */
  readonly check: () => Promise<string>;
}

export function unpacked(archive: string): string {
  const folder = emptyFolder();
  run("tar", ["-xf", join(OUT, archive), "-C", folder]);
  return join(folder, readdirSync(folder)[0] ?? "");
}
