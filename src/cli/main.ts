import { VERSION } from "./version.ts";

/** Runs the command line; never rejects. */
export async function main(args: readonly string[]): Promise<void> {
  if (args[0] === "--version") process.stdout.write(`planner ${VERSION}\n`);
}
