import { readdirSync } from "node:fs";
import { join } from "node:path";
import { OUT } from "../../release/release.ts";
import { run } from "../../release/shell.ts";
import { emptyFolder } from "./main_jobs.ts";

/** One artefact in one place. */
export interface Check {
  readonly artefact: string;
  readonly place: string;
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
