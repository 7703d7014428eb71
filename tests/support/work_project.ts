import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { commandSettings, commitProject, type GitProject, gitProject } from "./git_project.ts";
import { trustProject } from "./trusted_project.ts";

/** What each spec's agent does, by id or under `*`; see agent.ts. */
export type AgentPlan = Readonly<Record<string, readonly string[]>>;

/** A project in a git repository whose agent is the one of agent.ts. */
export interface WorkProject extends GitProject {
  /** Folder in which the agents leave notes. */
  readonly notes: string;
  /** Writes a spec with one criterion and commits everything. */
  add(id: string, fields?: string, body?: string): Promise<void>;
  /** Lets waiting agents go on. */
  release(file: string): void;
  /** Waits for a note of the agents that holds a text. */
  noted(file: string, text: string): Promise<void>;
  /** The pids of every agent and of what they started. */
  pids(): readonly number[];
  /** Every process record, sorted by its name. */
  records(): readonly StoredRecord[];
  /** A field of a spec's frontmatter in the project. */
  field(id: string, name: string): string | undefined;
}

export interface StoredRecord {
  readonly process_id: string;
  readonly spec_id: string;
  readonly pid: number;
  readonly status: string;
  readonly mode: string;
  readonly started_at: string;
  readonly completed_at: string | null;
  readonly error?: string;
}

export interface WorkOptions {
  readonly plan: AgentPlan;
  /** Further lines of the configuration's frontmatter. */
  readonly config?: string;
  readonly stream?: string;
}

export async function workProject({ plan, config = "", stream = "text" }: WorkOptions): Promise<WorkProject> {
  const project = await gitProject();
  trustProject(project.root);
  const notes = join(project.root, ".planner", "logs", "notes");
  const agent = join(import.meta.dirname, "agent.ts");
  const provider = {
    command: process.execPath,
    args: [agent, "{mcp_config}"],
    stream,
    env: { AGENT_PLAN: JSON.stringify(plan), AGENT_NOTES: notes },
  };
  project.write(".planner/config.md", commandSettings(provider, config));
  await commitProject(project);
  const text = (file: string): string => (existsSync(join(notes, file)) ? readFileSync(join(notes, file), "utf8") : "");
  return {
    ...project,
    notes,
    async add(id, fields = "", body = `# ${id}\n\n## Acceptance Criteria\n\n- [ ] It is done\n`) {
      project.spec(id, `---\nid: ${id}\nstatus: pending\nlabels: [work]\n${fields}---\n\n${body}`);
      await project.mustGit("add", "--all");
      await project.mustGit("commit", "--quiet", "-m", `specify ${id}`);
    },
    release: (file) => writeFileSync(join(notes, file), ""),
    async noted(file, wanted) {
      while (!text(file).includes(wanted)) await sleep(20);
    },
    pids: () => text("pids").split("\n").filter(Boolean).map(Number),
    records: () =>
      project
        .list(".planner/processes")
        .filter((name) => name.endsWith(".json"))
        .map((name) => JSON.parse(project.read(`.planner/processes/${name}`))),
    field: (id, name) => new RegExp(`^${name}: (.*)$`, "m").exec(project.read(`.planner/specs/${id}.md`))?.[1],
  };
}

/** Whether a process runs; one that ended and was not asked for its status does not. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !"ZX".includes(stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3));
  } catch {
    return false;
  }
}
