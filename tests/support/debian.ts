import { existsSync } from "node:fs";

/**
 * Whether a program or module of a Debian package is installed. Tests install nothing; `.ci/packages` lists what CI
 * installs. Prints the name of a missing package, so that a skipped test is not taken for a passed one.
 */
export function fromDebian(path: string, packageName: string): boolean {
  if (existsSync(path)) return true;
  process.stderr.write(`SKIPPED: ${path} is missing; Debian's package ${packageName} has it\n`);
  return false;
}
