import type { Command } from "./command.ts";

/** Where `planner --help` lists a command; hidden ones are for programs. */
export type CommandGroup = "project" | "specs" | "state" | "checks" | "exchange" | "hidden";

export interface CommandEntry {
  readonly group: CommandGroup;
  /** Stands here, not in the command's file, so that the overview loads no command. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
}

/**
 * Every command in the order of `planner --help`. A row costs nothing until its command runs: adding one is a file that
 * exports `command` and a row here. Source: decision S-28.
 */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {};
