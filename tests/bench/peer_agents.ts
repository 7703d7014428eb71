/**
 * `bun tests/bench/peer_agents.ts`: calls and tokens of an agent's tasks over MCP, here and at Backlog.md's server, in a project of
 * 60 tasks. Installs `backlog.md` from npm into a temporary folder. Build first: `npm run build`.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { estimateTokens } from "../support/estimate_tokens.ts";
import { PLANNER } from "../support/planner_command.ts";
import { USUAL_TASKS, usualProject } from "../support/usual_tasks.ts";

const VERSION = "1.52.0";

type Args = Readonly<Record<string, unknown>>;
interface Call {
  readonly tool: string;
  readonly args: Args;
}

const edit = (args: Args): Call => ({ tool: "task_edit", args });

/** Backlog.md's call for each usual task, in their order; null where its server has no such tool. */
const THEIRS: readonly (Call | null)[] = [
  { tool: "task_list", args: {} },
  { tool: "task_list", args: { ready: true, limit: 1 } },
  { tool: "task_view", args: { id: "TASK-1" } },
  { tool: "task_list", args: { assignee: "ada", limit: 10 } },
  { tool: "task_list", args: { labels: ["shop"], limit: 20 } },
  { tool: "task_search", args: { query: "rope", limit: 5 } },
  {
    tool: "task_create",
    args: {
      title: "Sell the rope by the metre",
      acceptanceCriteria: ["The price of a metre is shown", "Half a metre is refused"],
      labels: ["shop"],
      priority: "high",
      dependencies: ["TASK-1"],
    },
  },
  edit({ id: "TASK-1", status: "In Progress" }),
  edit({ id: "TASK-1", acceptanceCriteriaCheck: [2] }),
  { tool: "task_view", args: { id: "TASK-1" } },
  edit({ id: "TASK-1", acceptanceCriteriaCheck: [1], finalSummary: "Sharpened; 40 cuts of 40 are clean." }),
  edit({ id: "TASK-1", status: "Done" }),
  null,
  null,
  edit({ id: "TASK-2", status: "To Do" }),
  { tool: "task_complete", args: { id: "TASK-3" } },
];

/** Six more that both servers do: for a spec that no other task touches. */
const SPEC = "2026-11-02-030-x30";
const MORE: readonly { readonly task: string; readonly ours: Call; readonly theirs: Call }[] = [
  {
    task: "List ten ready specs",
    ours: { tool: "planner_ready", args: { limit: 10 } },
    theirs: { tool: "task_list", args: { ready: true, limit: 10 } },
  },
  {
    task: "Change labels",
    ours: { tool: "planner_spec_update", args: { id: SPEC, labels: ["shop", "shelf"] } },
    theirs: edit({ id: "TASK-30", labels: ["shop", "shelf"] }),
  },
  {
    task: "Let a spec wait for another",
    ours: { tool: "planner_spec_update", args: { id: SPEC, depends_on: ["2026-11-02-031-x31"] } },
    theirs: edit({ id: "TASK-30", dependencies: ["TASK-31"] }),
  },
  {
    task: "List what is in progress",
    ours: { tool: "planner_spec_list", args: { status: "in_progress", limit: 10 } },
    theirs: { tool: "task_list", args: { status: "In Progress", limit: 10 } },
  },
  {
    task: "Search what is not begun",
    ours: { tool: "planner_search", args: { query: "shelf 7", status: "pending", limit: 5 } },
    theirs: { tool: "task_search", args: { query: "shelf 7", status: "To Do", limit: 5 } },
  },
  {
    task: "Note a result",
    ours: { tool: "planner_spec_update", args: { id: SPEC, output: "The shelf has no label yet." } },
    theirs: edit({ id: "TASK-30", notesAppend: ["The shelf has no label yet."] }),
  },
];

class Server {
  readonly #client = new Client({ name: "bench", version: "1" });

  async start(command: readonly string[], cwd: string): Promise<number> {
    const [program = "", ...args] = command;
    await this.#client.connect(new StdioClientTransport({ command: program, args, cwd, stderr: "ignore" }));
    return estimateTokens(JSON.stringify([this.#client.getInstructions(), await this.#client.listTools()]));
  }

  /** Tokens of a call and its reply. @throws Error for a refused call */
  async tokensOf({ tool, args }: Call): Promise<number> {
    const request = { name: tool, arguments: { ...args } };
    const result = await this.#client.callTool(request);
    if (result.isError === true) throw new Error(`${tool} was refused: ${JSON.stringify(result)}`);
    return estimateTokens(JSON.stringify(request)) + estimateTokens(JSON.stringify(result));
  }

  end(): Promise<void> {
    return this.#client.close();
  }
}

function run(cwd: string, program: string, ...words: readonly string[]): void {
  const { status, stderr } = spawnSync(program, words, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")} ended with ${status}: ${stderr}`);
}

/** The same 60 tasks as `usualProject` has. */
function peerProject(folder: string, peer: string): void {
  mkdirSync(folder);
  run(folder, "git", "init", "--quiet");
  run(folder, peer, "init", "bench", "--defaults", "--integration-mode", "mcp");
  const text = `The rope is blunt where it is cut. ${"It frays, and customers bring it back. ".repeat(6)}`;
  for (let number = 1; number <= 60; number++) {
    const [status, who, box] = number === 3 ? ["Done", "ben", "x"] : ["To Do", number === 1 ? "ada" : "ben", " "];
    const title = number === 1 ? "Sharpen the knife of the rope cutter" : `Label shelf ${number} of the shop`;
    const fields = `id: TASK-${number}\ntitle: ${title}\nstatus: ${status}\nassignee: ['${who}']\ncreated_date: '2026-11-01 10:00'\nlabels: [shop]\ndependencies: []\npriority: ${number === 1 ? "high" : "low"}\n`;
    const criteria = `<!-- AC:BEGIN -->\n- [${box}] #1 A cut is clean\n- [${box}] #2 The knife is oiled\n<!-- AC:END -->\n`;
    const body = `## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\n${text}\n<!-- SECTION:DESCRIPTION:END -->\n\n## Acceptance Criteria\n${criteria}`;
    writeFileSync(
      join(folder, "backlog", "tasks", `task-${number} - Task-${number}.md`),
      `---\n${fields}---\n\n${body}`,
    );
  }
}

const folder = mkdtempSync(join(tmpdir(), "planner-peer-"));
run(folder, "npm", "install", "--no-save", "--prefix", folder, `backlog.md@${VERSION}`);
const peer = join(folder, "node_modules", `backlog.md-${process.platform}-${process.arch}`, "backlog");
const theirFolder = join(folder, "backlog");
peerProject(theirFolder, peer);
const project = usualProject();
const ours = new Server();
const theirs = new Server();
const first = [
  await ours.start([...PLANNER, "mcp"], project.root),
  await theirs.start([peer, "mcp", "start"], theirFolder),
];
const guide = await theirs.tokensOf({ tool: "get_backlog_instructions", args: {} });

const tasks = [
  ...USUAL_TASKS.map(({ task, tool, args }, index) => ({ task, ours: { tool, args }, theirs: THEIRS[index] ?? null })),
  ...MORE,
];
const both = [0, 0];
const all = { ours: 0, theirs: 0 };
process.stdout.write(`| task | planner | Backlog.md ${VERSION} |\n| --- | --- | --- |\n`);
for (const one of tasks) {
  const here = await ours.tokensOf(one.ours);
  const there = one.theirs === null ? null : await theirs.tokensOf(one.theirs);
  all.ours += here;
  if (there !== null) {
    all.theirs += there;
    both[0] = (both[0] ?? 0) + here;
    both[1] = (both[1] ?? 0) + there;
  }
  process.stdout.write(`| ${one.task} | ${here} | ${there ?? "no tool"} |\n`);
}
process.stdout.write(`| tasks that both do | ${both[0]} | ${both[1]} |\n`);
process.stdout.write(`| instructions and list of tools | ${first[0]} | ${first[1]} |\n`);
process.stdout.write(`| the guide that its instructions ask to read | | ${guide} |\n`);
await Promise.all([ours.end(), theirs.end()]);
project[Symbol.dispose]();
rmSync(folder, { recursive: true });
