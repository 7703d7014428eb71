import type { Command } from "./command.ts";

/** Where `planner --help` lists a command. */
export type CommandGroup = "project" | "specs" | "agents" | "state" | "checks" | "exchange" | "datacenter";

export interface CommandEntry {
  readonly group: CommandGroup;
  /** Stands here, not in the command's file, so that the overview loads no command. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
}

export type CommandTable = Readonly<Record<string, CommandEntry>>;

/**
 * Every command in the order of `planner --help`. A row costs nothing until its command runs: adding one is a file that
 * exports `command` and a row here. Source: docs/decisions.md#s-28.
 */
export const COMMANDS: CommandTable = {
  init: {
    group: "project",
    summary: "Set up .planner/ and the agents' MCP configuration",
    load: () => import("./commands/init.ts"),
  },
  config: { group: "project", summary: "Show or check the settings", load: () => import("./commands/config.ts") },
  schema: {
    group: "project",
    summary: "Print the frontmatter's JSON Schema for editors",
    load: () => import("./commands/schema.ts"),
  },
  hook: {
    group: "project",
    summary: "Check the staged specs before each git commit",
    load: () => import("./commands/hook.ts"),
  },
  completion: {
    group: "project",
    summary: "Print the completion script of a shell",
    load: () => import("./commands/completion.ts"),
  },
  add: { group: "specs", summary: "Create a spec and lint it", load: () => import("./commands/add.ts") },
  list: { group: "specs", summary: "List the active specs", load: () => import("./commands/list.ts") },
  show: { group: "specs", summary: "Show one spec", load: () => import("./commands/show.ts") },
  edit: { group: "specs", summary: "Edit a spec in your editor", load: () => import("./commands/edit.ts") },
  ready: { group: "specs", summary: "List what can be worked now", load: () => import("./commands/ready.ts") },
  search: { group: "specs", summary: "Find specs that contain a text", load: () => import("./commands/search.ts") },
  status: { group: "specs", summary: "Count the specs by status", load: () => import("./commands/status.ts") },
  work: { group: "agents", summary: "Let agents work specs", load: () => import("./commands/work.ts") },
  pause: { group: "agents", summary: "Stop the agent of a spec", load: () => import("./commands/pause.ts") },
  takeover: { group: "agents", summary: "Go on by hand", load: () => import("./commands/takeover.ts") },
  split: { group: "agents", summary: "Split a large spec", load: () => import("./commands/split.ts") },
  merge: { group: "agents", summary: "Merge finished work", load: () => import("./commands/merge.ts") },
  watch: { group: "agents", summary: "Merge and retry as work ends", load: () => import("./commands/watch.ts") },
  update: { group: "state", summary: "Change status, fields or body", load: () => import("./commands/update.ts") },
  finalize: { group: "state", summary: "Mark a spec completed", load: () => import("./commands/finalize.ts") },
  reset: { group: "state", summary: "Set a failed spec back to pending", load: () => import("./commands/reset.ts") },
  cancel: { group: "state", summary: "Cancel a spec", load: () => import("./commands/cancel.ts") },
  approve: { group: "state", summary: "Approve a spec", load: () => import("./commands/approve.ts") },
  reject: { group: "state", summary: "Reject a spec", load: () => import("./commands/reject.ts") },
  archive: { group: "state", summary: "Put a completed spec away", load: () => import("./commands/archive.ts") },
  lint: {
    group: "checks",
    summary: "Check specs against the schema and the rules",
    load: () => import("./commands/lint.ts"),
  },
  verify: {
    group: "checks",
    summary: "Check acceptance criteria, or the output",
    load: () => import("./commands/verify.ts"),
  },
  diagnose: { group: "checks", summary: "Find out what keeps a spec", load: () => import("./commands/diagnose.ts") },
  doctor: { group: "checks", summary: "Find what killed processes left", load: () => import("./commands/doctor.ts") },
  log: { group: "checks", summary: "Show or follow a spec's log", load: () => import("./commands/log.ts") },
  export: {
    group: "exchange",
    summary: "Write specs as JSON, CSV or Markdown",
    load: () => import("./commands/export.ts"),
  },
  import: {
    group: "exchange",
    summary: "Take in specs from an export or Markdown files",
    load: () => import("./commands/import.ts"),
  },
  mcp: { group: "exchange", summary: "Serve the tools to an agent (MCP)", load: () => import("./commands/mcp.ts") },
  dc: { group: "datacenter", summary: "Serve a datacenter's data", load: () => import("./commands/dc.ts") },
};
