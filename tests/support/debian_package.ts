import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * Fetches a package of Debian, without installing it, and keeps a folder of it as `kept`. Undefined when it is there,
 * else why it cannot be had.
 */
export function keepFromPackage(name: string, inside: string, kept: string): string | undefined {
  if (existsSync(kept)) return undefined;
  const work = mkdtempSync(join(tmpdir(), "planner-package-"));
  try {
    return download(name, work) ?? unpack(inside, kept, work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Fetches the package into `work`, with apt's own lists or, where there are none, with lists of our own. */
function download(name: string, work: string): string | undefined {
  if (run("apt-get", ["download", name], work) === undefined) return undefined;
  for (const folder of ["lists/partial", "cache/archives/partial"]) mkdirSync(join(work, folder), { recursive: true });
  const own = ["-o", `Dir::State::lists=${work}/lists`, "-o", `Dir::Cache=${work}/cache`];
  return run("apt-get", [...own, "update"], work) ?? run("apt-get", [...own, "download", name], work);
}

function unpack(inside: string, kept: string, work: string): string | undefined {
  const file = readdirSync(work).find((entry) => entry.endsWith(".deb"));
  if (file === undefined) return "apt-get downloaded nothing";
  const problem = run("dpkg-deb", ["-x", file, "unpacked"], work);
  if (problem !== undefined) return problem;
  mkdirSync(dirname(kept), { recursive: true });
  const staged = `${kept}.${process.pid}`;
  // Renaming needs one file system, so the copy is made beside the place first.
  const copied = run("cp", ["-r", join(work, "unpacked", inside), staged], work);
  if (copied === undefined && !existsSync(kept)) renameSync(staged, kept);
  return copied;
}

/** Undefined when the command succeeded, else what went wrong. */
function run(command: string, args: readonly string[], cwd: string): string | undefined {
  const { status, error, stderr } = spawnSync(command, args, { cwd, encoding: "utf8", timeout: 120_000 });
  return status === 0 ? undefined : `${command} failed: ${error?.message ?? stderr.trim()}`;
}
