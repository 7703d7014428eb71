import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/**
 * Whether a program or module of Debian is here, which is installed where it is missing and may be. Says so once where
 * it cannot be had, so that nobody takes a skipped test for a passed one.
 */
export function fromDebian(path: string, packageName: string): boolean {
  if (existsSync(path)) return true;
  if (process.getuid?.() === 0 && !install(packageName)) {
    spawnSync("apt-get", ["update"], { timeout: 120_000 });
    install(packageName);
  }
  if (!existsSync(path)) process.stderr.write(`SKIPPED: ${packageName} is not here and apt-get cannot install it\n`);
  return existsSync(path);
}

function install(packageName: string): boolean {
  const words = ["install", "-y", "--no-install-recommends", packageName];
  return spawnSync("apt-get", words, { timeout: 300_000 }).status === 0;
}
