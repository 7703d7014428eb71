import type { Command, Example } from "./command.ts";

/** Section of `planner --help` that lists a command. */
export type CommandGroup = "project" | "specs" | "agents" | "state" | "checks" | "exchange" | "datacenter";

interface LeafEntry {
  /** Summary of the command, repeated here so that help of its family need not load the command. */
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
  /** Further paragraphs for `--help`. */
  readonly details?: string;
  readonly commands: CommandTable;
  /** Name of the member that runs if none is named; without it a name is required. */
  readonly fallback?: string;
  readonly examples: readonly Example[];
}

/** Loaders of a command in a file that contains several. */
const board = (name: "board" | "demo") => async () => ({
  command: (await import("./commands/spec/board_pages.ts"))[name] as Command,
});
const loadStateCommands = (name: keyof typeof import("./commands/spec/state.ts")) => async () => ({
  command: (await import("./commands/spec/state.ts"))[name] as Command,
});
const loadTextCommands = (name: keyof typeof import("./commands/spec/texts.ts")) => async () => ({
  command: (await import("./commands/spec/texts.ts"))[name] as Command,
});

/**
 * Every command in the order of `planner --help`. A command is loaded only when it runs. To add one, write a file that
 * exports `command` and add a row here or in its family's table. Source: docs/decisions.md#s-28.
 */
export const COMMANDS: Readonly<Record<string, CommandEntry & { readonly group: CommandGroup }>> = {
  ...createCommandGroup("project", {
    init: ["Set up .planner/ and the agents' MCP configuration", () => import("./commands/spec/init.ts")],
    demo: ["Show the board of a sample project with agents at work", board("demo")],
    config: ["Show or check the settings", () => import("./commands/spec/config.ts")],
    schema: ["Print the frontmatter's JSON Schema for editors", loadTextCommands("schema")],
    hook: ["Check the staged specs before each git commit", () => import("./commands/spec/hook.ts")],
    prime: ["Print how agents use specs", loadTextCommands("prime")],
    completion: ["Print the completion script of a shell", loadTextCommands("completion")],
    licenses: ["Print the licences of what this executable contains", loadTextCommands("licenses")],
  }),
  ...createCommandGroup("specs", {
    add: ["Create a spec and lint it", () => import("./commands/spec/add.ts")],
    list: ["List the active specs", () => import("./commands/spec/list.ts")],
    show: ["Show one spec", () => import("./commands/spec/show.ts")],
    edit: ["Edit a spec in your editor", () => import("./commands/spec/edit.ts")],
    ready: ["List the specs that can be worked on now", () => import("./commands/spec/ready.ts")],
    search: ["Find specs that contain a text", () => import("./commands/spec/search.ts")],
    graph: ["Show what waits for what", () => import("./commands/spec/graph.ts")],
    status: ["Count the specs by status", () => import("./commands/spec/status.ts")],
  }),
  ...createCommandGroup("agents", {
    work: ["Run agents on specs", () => import("./commands/spec/work.ts")],
    board: ["Show and steer all work in a browser", board("board")],
    pause: ["Stop the agent of a spec", loadStateCommands("pause")],
    takeover: ["Stop the agent and continue by hand", loadStateCommands("takeover")],
    split: ["Split a large spec", () => import("./commands/spec/split.ts")],
    review: ["Accept work, send it back or reject it", () => import("./commands/spec/review.ts")],
    pr: ["Make a pull request of finished work", () => import("./commands/spec/pr.ts")],
    merge: ["Merge finished work", () => import("./commands/spec/merge.ts")],
    watch: ["Merge and retry specs continuously", () => import("./commands/spec/watch.ts")],
  }),
  ...createCommandGroup("state", {
    update: ["Change status, fields or body", () => import("./commands/spec/update.ts")],
    check: ["Check one criterion", () => import("./commands/spec/check.ts")],
    finalize: ["Mark a spec completed", () => import("./commands/spec/finalize.ts")],
    reset: ["Set a failed spec back to pending", loadStateCommands("reset")],
    cancel: ["Cancel a spec", loadStateCommands("cancel")],
    approve: ["Accept commands of checks and settings, or approve a spec", () => import("./commands/spec/approve.ts")],
    trust: ["Accept every command of a project", () => import("./commands/spec/trust.ts")],
    reject: ["Reject a spec", loadStateCommands("reject")],
    archive: ["Move a completed spec to the archive", loadStateCommands("archive")],
  }),
  ...createCommandGroup("checks", {
    lint: ["Check specs against the schema and the rules", () => import("./commands/spec/lint.ts")],
    verify: ["Check acceptance criteria or output", () => import("./commands/spec/verify.ts")],
    diagnose: ["Check why a spec makes no progress", () => import("./commands/spec/diagnose.ts")],
    doctor: ["Find and repair leftovers of killed processes", () => import("./commands/spec/doctor.ts")],
    log: ["Show or follow a spec's log", () => import("./commands/spec/log.ts")],
    usage: ["Sum up tokens and cost", () => import("./commands/spec/usage.ts")],
  }),
  ...createCommandGroup("exchange", {
    export: ["Write specs as JSON, CSV or Markdown", () => import("./commands/spec/export.ts")],
    import: ["Import specs, or the tasks of another tool", () => import("./commands/spec/import.ts")],
    mcp: ["Serve the tools to an agent (MCP)", () => import("./commands/spec/mcp.ts")],
  }),
  dc: {
    group: "datacenter",
    summary: "Run the datacenter service and its tools",
    family: () => import("./commands/dc/index.ts"),
  },
};

function createCommandGroup(
  group: CommandGroup,
  rows: Readonly<Record<string, readonly [summary: string, load: LeafEntry["load"]]>>,
): Readonly<Record<string, LeafEntry & { readonly group: CommandGroup }>> {
  return Object.fromEntries(Object.entries(rows).map(([name, [summary, load]]) => [name, { group, summary, load }]));
}
