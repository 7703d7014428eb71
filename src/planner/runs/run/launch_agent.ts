import { getErrorMessage } from "#kernel/errors.ts";
import { buildCheckLines, isLineAccepted } from "../../work/acceptance.ts";
import { type AgentLaunch, buildAgentLaunch } from "../../work/agent_launch.ts";
import { assemblePrompt, type PromptRequest } from "../../work/prompts/prompt.ts";
import { resolveRunLimits } from "../../work/run_limits.ts";
import type { AgentJob, RunDeps } from "../run_types.ts";
import { buildAgentEnvironment, removeTrailingSlash } from "./place.ts";
import { type AgentRunResult, type RunAgentOptions, runAgent } from "./run_agent.ts";
import { hashText } from "./set_up.ts";

export interface LaunchAgentOptions extends RunAgentOptions {
  /** Name of a template, null for the default; or a complete prompt, which splits the spec instead of working on it. */
  readonly prompt: { readonly template: string | null } | { readonly text: string };
  /** Called with the SHA-256 of the prompt; the agent starts after it has resolved. */
  readonly onPromptBuilt?: (hash: string) => Promise<void>;
}

/**
 * Builds the prompt, writes the agent's files including its MCP configuration, and runs the agent.
 *
 * Prompt and configuration of the last run stay beside its log as `.planner/logs/<id>.prompt.md` and `<id>.mcp.json`.
 */
export async function launchAgent(deps: RunDeps, options: LaunchAgentOptions): Promise<AgentRunResult> {
  const { job, onPromptBuilt } = options;
  const { id, place, processId, provider } = job;
  const isSplit = "text" in options.prompt;
  const prompt = isSplit
    ? { ...options.prompt, warnings: [] }
    : await assemblePrompt(deps.context, await buildPromptRequest(deps, job, options.prompt.template));
  for (const warning of prompt.warnings) deps.tell({ event: "note", spec_id: id, message: warning });
  const [command = "", ...first] = deps.selfCommand;
  const beside = `${removeTrailingSlash(deps.root)}/.planner/logs/${id}`;
  const writable = provider.row.writableArgs === null ? [] : await deps.files.prepareCommitFolders(place.root);
  const server = isSplit ? null : { command, args: [...first, "mcp", "--root", place.root] };
  const promptWhole = place.earlier === null ? prompt.text : `${prompt.text.trimEnd()}\n\n${place.earlier}\n`;
  const launch = buildAgentLaunch(provider, {
    prompt: promptWhole,
    promptFile: `${beside}.prompt.md`,
    mcpConfigFile: `${beside}.mcp.json`,
    runFile: beside,
    dir: place.root,
    grant: { task: isSplit ? "split" : "work", commands: await listGrantedCommands(deps, job) },
    session: job.session,
    server,
    writableFolders: writable,
  });
  for (const { path, text } of launch.files) await deps.files.writeText(path, text);
  const input = launch.input === null ? {} : { input: launch.input };
  const env = { ...buildAgentEnvironment(deps, id, place), ...place.worktree?.identity, ...launch.env };
  const start = { argv: launch.argv, cwd: place.root, env, processId, ...input };
  try {
    await extendProjectFile(deps, job, launch);
    const limits = resolveRunLimits(job.config, provider.name, job.spec.frontmatter);
    await onPromptBuilt?.(hashText(deps, promptWhole));
    return await runAgent(deps, options, { start, limits });
  } finally {
    await restoreReplacedFiles(deps, job);
  }
}

/** Returns the accepted commands that judge the work, because the agent may run them too. */
async function listGrantedCommands({ context }: RunDeps, { config, spec }: AgentJob): Promise<readonly string[]> {
  const settings = config.verify.commands.map((text) => ({ kind: "verify" as const, text }));
  const lines = [...settings, ...buildCheckLines(spec.body)];
  if (lines.length === 0) return [];
  const accepted = await (await context.openAcceptance()).read();
  return [...new Set(lines.filter((line) => isLineAccepted(accepted, line)).map(({ text }) => text))];
}

async function restoreReplacedFiles({ ports }: RunDeps, { id, log }: AgentJob): Promise<void> {
  try {
    for (const file of await ports.worktrees.restoreReplacedFiles(id)) {
      await log.line(`planner: "${file}" was changed by the run and is left as it is, with planner's entry in it`);
    }
  } catch (error) {
    // The worktree may be unusable by now; the end of the run reports that.
    await log.line(`planner: ${getErrorMessage(error)}`);
  }
}

/** Returns the data from which a prompt about a spec is written. Reads the spec in the folder where the agent works. */
export async function buildPromptRequest(
  deps: RunDeps,
  { id, config, place: { root, worktree } }: Pick<AgentJob, "id" | "config" | "place">,
  template: string | null,
): Promise<PromptRequest> {
  const specs = worktree === null ? deps.context.specs : worktree.openSpecs();
  const [spec, { text: specText }] = [await specs.load(id), await specs.readText(id)];
  const projectName = config.project.name ?? removeTrailingSlash(deps.root).split(/[\\/]/).at(-1) ?? "";
  const place = { path: root, branch: worktree?.branch ?? "", isolated: worktree !== null };
  return { spec, specText, config, projectName, template, folder: place };
}

/** Adds the MCP server to the agent's own configuration file, for agents that read it from there. */
async function extendProjectFile(
  { files, ports }: RunDeps,
  { id, place, provider, log }: AgentJob,
  { projectFile }: AgentLaunch,
): Promise<void> {
  if (projectFile === null) return;
  // Restores a file that a killed run left here, so that it is not mistaken for a person's own.
  await ports.worktrees.restoreReplacedFiles(id);
  const root = removeTrailingSlash(place.root);
  const texts = await Promise.all(projectFile.files.map((file) => files.readText(`${root}/${file}`)));
  const there = texts.findIndex((text) => text !== null);
  const file = projectFile.files[Math.max(0, there)] ?? projectFile.files[0];
  const edit = await projectFile.extend(file, texts[there] ?? "");
  if (edit.kind === "other") {
    await log.line(`planner: "${file}" has an entry "planner" of its own: ${provider.name} uses that`);
  }
  if (edit.kind !== "added") return;
  if (place.worktree === null) await ports.worktrees.writeProjectFile(id, file, edit.text);
  else await place.worktree.writePlannerFile(file, edit.text);
}
