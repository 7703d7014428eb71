import type { Command, Example } from "./command.ts";

/** Section of `planner --help` that lists a command. */
export type CommandGroup = "project" | "specs" | "agents" | "state" | "checks" | "exchange" | "datacenter";

interface LeafEntry {
  /** In the table, not in the command's file, so that help of the level above loads no command. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** A command that only groups others, such as `planner dc`. */
interface FamilyEntry {
  readonly summary: string;
  readonly family: () => Promise<{ readonly family: CommandFamily }>;
}

export type CommandEntry = LeafEntry | FamilyEntry;

export type CommandTable = Readonly<Record<string, CommandEntry>>;

export interface CommandFamily {
  /** Further paragraphs of `--help`. */
  readonly details?: string;
  readonly commands: CommandTable;
  /** The member that runs if none is named; without a fallback a name is required. */
  readonly fallback?: string;
  readonly examples: readonly Example[];
}

/**
 * Every command in the order of `planner --help`. A row costs nothing until its command runs: adding one is a file that
 * exports `command`, and a row here or in its family's table. Source: docs/decisions.md#s-28.
 */
export const COMMANDS: Readonly<Record<string, CommandEntry & { readonly group: CommandGroup }>> = {
  init: {
    group: "project",
    summary: "Set up .planner/ and the agents' MCP configuration",
    load: () => import("./commands/spec/init.ts"),
  },
  demo: {
    group: "project",
    summary: "Show the board of a sample project with agents at work",
    load: () => import("./commands/spec/demo.ts"),
  },
  config: { group: "project", summary: "Show or check the settings", load: () => import("./commands/spec/config.ts") },
  schema: {
    group: "project",
    summary: "Print the frontmatter's JSON Schema for editors",
    load: () => import("./commands/spec/schema.ts"),
  },
  hook: {
    group: "project",
    summary: "Check the staged specs before each git commit",
    load: () => import("./commands/spec/hook.ts"),
  },
  prime: { group: "project", summary: "Print how agents use specs", load: () => import("./commands/spec/prime.ts") },
  completion: {
    group: "project",
    summary: "Print the completion script of a shell",
    load: () => import("./commands/spec/completion.ts"),
  },
  licenses: {
    group: "project",
    summary: "Print the licences of what this executable contains",
    load: () => import("./commands/spec/licenses.ts"),
  },
  add: { group: "specs", summary: "Create a spec and lint it", load: () => import("./commands/spec/add.ts") },
  list: { group: "specs", summary: "List the active specs", load: () => import("./commands/spec/list.ts") },
  show: { group: "specs", summary: "Show one spec", load: () => import("./commands/spec/show.ts") },
  edit: { group: "specs", summary: "Edit a spec in your editor", load: () => import("./commands/spec/edit.ts") },
  ready: {
    group: "specs",
    summary: "List the specs that can be worked on now",
    load: () => import("./commands/spec/ready.ts"),
  },
  search: {
    group: "specs",
    summary: "Find specs that contain a text",
    load: () => import("./commands/spec/search.ts"),
  },
  graph: { group: "specs", summary: "Show what waits for what", load: () => import("./commands/spec/graph.ts") },
  status: { group: "specs", summary: "Count the specs by status", load: () => import("./commands/spec/status.ts") },
  work: { group: "agents", summary: "Run agents on specs", load: () => import("./commands/spec/work.ts") },
  board: {
    group: "agents",
    summary: "Show and steer all work in a browser",
    load: () => import("./commands/spec/board.ts"),
  },
  pause: { group: "agents", summary: "Stop the agent of a spec", load: () => import("./commands/spec/pause.ts") },
  takeover: {
    group: "agents",
    summary: "Stop the agent and continue by hand",
    load: () => import("./commands/spec/takeover.ts"),
  },
  split: { group: "agents", summary: "Split a large spec", load: () => import("./commands/spec/split.ts") },
  review: {
    group: "agents",
    summary: "Accept work, send it back or reject it",
    load: () => import("./commands/spec/review.ts"),
  },
  pr: { group: "agents", summary: "Make a pull request of finished work", load: () => import("./commands/spec/pr.ts") },
  merge: { group: "agents", summary: "Merge finished work", load: () => import("./commands/spec/merge.ts") },
  watch: {
    group: "agents",
    summary: "Merge and retry specs continuously",
    load: () => import("./commands/spec/watch.ts"),
  },
  update: { group: "state", summary: "Change status, fields or body", load: () => import("./commands/spec/update.ts") },
  check: { group: "state", summary: "Check one criterion", load: () => import("./commands/spec/check.ts") },
  finalize: { group: "state", summary: "Mark a spec completed", load: () => import("./commands/spec/finalize.ts") },
  reset: {
    group: "state",
    summary: "Set a failed spec back to pending",
    load: () => import("./commands/spec/reset.ts"),
  },
  cancel: { group: "state", summary: "Cancel a spec", load: () => import("./commands/spec/cancel.ts") },
  approve: {
    group: "state",
    summary: "Accept commands of checks and settings, or approve a spec",
    load: () => import("./commands/spec/approve.ts"),
  },
  trust: {
    group: "state",
    summary: "Accept every command of a project",
    load: () => import("./commands/spec/trust.ts"),
  },
  reject: { group: "state", summary: "Reject a spec", load: () => import("./commands/spec/reject.ts") },
  archive: {
    group: "state",
    summary: "Move a completed spec to the archive",
    load: () => import("./commands/spec/archive.ts"),
  },
  lint: {
    group: "checks",
    summary: "Check specs against the schema and the rules",
    load: () => import("./commands/spec/lint.ts"),
  },
  verify: {
    group: "checks",
    summary: "Check acceptance criteria or output",
    load: () => import("./commands/spec/verify.ts"),
  },
  diagnose: {
    group: "checks",
    summary: "Check why a spec makes no progress",
    load: () => import("./commands/spec/diagnose.ts"),
  },
  doctor: {
    group: "checks",
    summary: "Find and repair leftovers of killed processes",
    load: () => import("./commands/spec/doctor.ts"),
  },
  log: { group: "checks", summary: "Show or follow a spec's log", load: () => import("./commands/spec/log.ts") },
  usage: { group: "checks", summary: "Sum up tokens and cost", load: () => import("./commands/spec/usage.ts") },
  export: {
    group: "exchange",
    summary: "Write specs as JSON, CSV or Markdown",
    load: () => import("./commands/spec/export.ts"),
  },
  import: {
    group: "exchange",
    summary: "Import specs, or the tasks of another tool",
    load: () => import("./commands/spec/import.ts"),
  },
  mcp: {
    group: "exchange",
    summary: "Serve the tools to an agent (MCP)",
    load: () => import("./commands/spec/mcp.ts"),
  },
  dc: {
    group: "datacenter",
    summary: "Run the datacenter service and its tools",
    family: () => import("./commands/dc/index.ts"),
  },
};
