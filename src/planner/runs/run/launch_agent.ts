import type { Claim } from "#planner/run_ports/claims.ts";
import { checkLines, isAccepted } from "../../work/acceptance.ts";
import { type AgentLaunch, agentLaunch } from "../../work/agent_launch.ts";
import { assemblePrompt } from "../../work/prompts/prompt.ts";
import { limitsOf } from "../../work/run_limits.ts";
import { reasonOf } from "../reason_of.ts";
import type { RunDeps } from "../run_types.ts";
import { agentEnvironment } from "./place.ts";
import { type AgentEnd, type ReportedSoFar, runAgent } from "./run_agent.ts";
import type { PlacedRun } from "./start.ts";
import { specsOf } from "./write_end.ts";

export interface Launching {
  readonly run: LaunchedRun;
  readonly claim: Claim;
  readonly stillWanted: () => Promise<boolean>;
  /** Called with the SHA-256 of the prompt; the agent starts once it has returned. */
  readonly prompted?: (hash: string) => Promise<void>;
  readonly reported?: (soFar: ReportedSoFar) => void;
  /** In place of the prompt for working the spec. */
  readonly promptText?: string;
}

/** The part of a run that starting an agent needs: a split has no more. */
export type LaunchedRun = Pick<
  PlacedRun,
  "id" | "processId" | "config" | "provider" | "place" | "log" | "spec" | "session"
> & {
  readonly wishes: Pick<PlacedRun["wishes"], "prompt" | "stop">;
};

/**
 * Builds the prompt, writes the agent's files, its MCP configuration included, and runs the agent.
 *
 * Prompt and configuration of the last run stay beside its log, `.planner/logs/<id>.prompt.md` and `<id>.mcp.json`.
 */
export async function launchAgent(deps: RunDeps, launching: Launching): Promise<AgentEnd> {
  const { run, claim, stillWanted, prompted = async () => {}, reported = () => {}, promptText } = launching;
  const { id, place, wishes, processId, provider, log } = run;
  const prompt = promptText === undefined ? await promptOf(deps, launching) : { text: promptText, warnings: [] };
  for (const warning of prompt.warnings) deps.tell({ event: "note", spec_id: id, message: warning });
  const [command = "", ...first] = deps.self;
  const beside = `${trimmed(deps.root)}/.planner/logs/${id}`;
  const writable = provider.row.writableArgs === null ? [] : await deps.files.gitFolders(place.root);
  const task = promptText === undefined ? "work" : "split";
  const server = task === "split" ? null : { command, args: [...first, "mcp", "--root", place.root] };
  const promptWhole = place.earlier === null ? prompt.text : `${prompt.text.trimEnd()}\n\n${place.earlier}\n`;
  const launch = agentLaunch(provider, {
    prompt: promptWhole,
    promptFile: `${beside}.prompt.md`,
    mcpConfigFile: `${beside}.mcp.json`,
    runFile: beside,
    dir: place.root,
    grant: { task, commands: await grantedCommands(deps, run) },
    session: run.session,
    server,
    writable,
  });
  for (const { path, text } of launch.files) await deps.files.write(path, text);
  const input = launch.input === null ? {} : { input: launch.input };
  const env = { ...agentEnvironment(deps, id, place), ...place.worktree?.identity, ...launch.env };
  const start = { argv: launch.argv, cwd: place.root, env, processId, ...input };
  try {
    await extendProjectFile(deps, launching, launch);
    const limits = limitsOf(run.config, provider.name, run.spec.frontmatter);
    const watched = { limits, allowing: provider.row.allowing, claim, stop: wishes.stop, stillWanted, reported };
    await prompted(hashOf(deps, promptWhole));
    return await runAgent(deps, { id, start, stream: provider.stream, log, ...watched });
  } finally {
    await displace(deps, run);
  }
}

/** The accepted commands by which the work is judged: the agent may run them too. */
async function grantedCommands({ context }: RunDeps, { config, spec }: LaunchedRun): Promise<readonly string[]> {
  const settings = config.verify.commands.map((text) => ({ kind: "verify" as const, text }));
  const lines = [...settings, ...checkLines(spec.body)];
  if (lines.length === 0) return [];
  const accepted = await (await context.accepted()).read();
  return [...new Set(lines.filter((line) => isAccepted(accepted, line)).map(({ text }) => text))];
}

function hashOf({ files }: RunDeps, text: string): string {
  const hash = files.hasher();
  hash.update(new TextEncoder().encode(text));
  return hash.digest();
}

async function displace({ ports }: RunDeps, { id, log }: LaunchedRun): Promise<void> {
  try {
    for (const file of await ports.worktrees.displace(id)) {
      await log.line(`planner: "${file}" was changed by the run and is left as it is, with planner's entry in it`);
    }
  } catch (error) {
    // The worktree may be broken by now; the end of the run handles that.
    await log.line(`planner: ${reasonOf(error)}`);
  }
}

async function promptOf(deps: RunDeps, { run }: Launching) {
  const { id, config, place, wishes } = run;
  const specs = specsOf(deps, place);
  const [spec, { text }] = [await specs.load(id), await specs.readText(id)];
  const { worktree } = place;
  return assemblePrompt(deps.context, {
    spec,
    specText: text,
    config,
    projectName: config.project.name ?? trimmed(deps.root).split(/[\\/]/).at(-1) ?? "",
    template: wishes.prompt,
    place: { path: place.root, branch: worktree?.branch ?? "", isolated: worktree !== null },
  });
}

/** Adds the server to the agent's own configuration file, where that is how it learns of it. */
async function extendProjectFile(
  { files, ports }: RunDeps,
  { run: { id, place, provider, log } }: Launching,
  { projectFile }: AgentLaunch,
): Promise<void> {
  if (projectFile === null) return;
  // What a killed run left here would be taken for a person's own.
  await ports.worktrees.displace(id);
  const root = trimmed(place.root);
  const texts = await Promise.all(projectFile.files.map((file) => files.read(`${root}/${file}`)));
  const there = texts.findIndex((text) => text !== null);
  const file = projectFile.files[Math.max(0, there)] ?? projectFile.files[0];
  const edit = await projectFile.extend(file, texts[there] ?? "");
  if (edit.kind === "other") {
    await log.line(`planner: "${file}" has an entry "planner" of its own: ${provider.name} uses that`);
  }
  if (edit.kind !== "added") return;
  if (place.worktree === null) await ports.worktrees.placeInProject(id, file, edit.text);
  else await place.worktree.place(file, edit.text);
}

function trimmed(path: string): string {
  return path.replace(/[\\/]+$/, "");
}
