import { createPreconditionError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { formatDollars } from "#words/figures.ts";
import type { LimitSettings, PlannerConfig } from "../config/config.ts";
import { MAX_PROMPT_ARGUMENT_BYTES } from "../limits.ts";
import { buildMcpConfig, type McpServerCommand } from "./mcp_config/agent_files.ts";
import type { ConfigEditResult } from "./mcp_config/config_edit.ts";
import type { AgentGrant, ProviderRow } from "./provider_row.ts";
import type { Provider } from "./providers.ts";
import { countTokens, type Usage } from "./usage.ts";

/** Prompt, paths, session and permissions of one run. Paths are absolute. */
export interface LaunchOptions {
  readonly prompt: string;
  /** Path of the prompt's file, which is not committed. */
  readonly promptFile: string;
  readonly mcpConfigFile: string;
  /** Start of the path of the agent's settings file for the run; the provider's row adds the suffix. */
  readonly runFile: string;
  /** The working directory of the agent. */
  readonly dir: string;
  /** Command by which the agent starts `planner mcp` for this run's worktree; null for a run without the server. */
  readonly server: McpServerCommand | null;
  readonly grant: AgentGrant;
  /** The agent's session to continue or to begin; null if the agent assigns a new id itself. */
  readonly session: AgentSession | null;
  /** Git's own folders, outside the working directory, to which a commit writes. */
  readonly writableFolders: readonly string[];
}

export interface AgentSession {
  readonly name: string;
  readonly isNew: boolean;
}

interface ExtendedConfigFile {
  /** Paths from the working directory. The first existing file is extended; if none exists, the first is created. */
  readonly files: readonly [string, ...string[]];
  /** Adds the server; keeps a person's own entry with the server's name. `text` is empty if the file does not exist. */
  extend(file: string, text: string): Promise<ConfigEditResult>;
}

/** Command line, environment, input and files for starting an agent. */
export interface AgentLaunch {
  /** Program and arguments, which are run without a shell. */
  readonly argv: readonly string[];
  /** Environment variables for the agent beside those that it inherits from planner. */
  readonly env: Readonly<Record<string, string>>;
  /** Text for standard input; null if it is empty. */
  readonly input: string | null;
  /** Files to write first, by absolute path. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Configuration file of the project to extend before the start; null if none. */
  readonly projectFile: ExtendedConfigFile | null;
}

/**
 * Builds the command line of a run.
 *
 * If a prompt is too long for an argument, the argument refers to the prompt's file instead.
 *
 * @throws OperationError `failed_precondition` if an argument needs a model and none is chosen
 */
export function buildAgentLaunch(provider: Provider, place: LaunchOptions): AgentLaunch {
  const { row } = provider;
  const runFile = buildRunFile(provider, place);
  const pieces = buildAgentArguments(provider, place);
  const fillPiece = (piece: string): string =>
    fillPlaceholders(piece, provider, { ...place, runFile: runFile?.path ?? "" });
  const argv = [provider.program, ...pieces.map(fillPiece), ...buildPromptArguments(pieces, provider, place)];
  const env = Object.fromEntries(Object.entries(row.env).map(([name, value]) => [name, fillPiece(value)]));
  const launchTexts = [...argv, ...Object.values(env)];
  const files = [
    { path: place.promptFile, text: place.prompt },
    { path: place.mcpConfigFile, text: buildMcpConfig(place.server) },
    ...(runFile === null ? [] : [runFile]),
  ];
  return {
    argv,
    env: { ...env, ...provider.env },
    input: provider.promptVia === "stdin" ? place.prompt : null,
    files: files.filter(({ path }) => launchTexts.some((argument) => argument.includes(path))),
    projectFile: buildProjectFile(provider, place.server),
  };
}

/** Whether the agent runs with all permissions. A split never does, because it changes nothing. */
function skipsAllPermissions({ skipsPermissions }: Provider, { grant }: LaunchOptions): boolean {
  return skipsPermissions && grant.task === "work";
}

function buildAgentArguments(provider: Provider, options: LaunchOptions): readonly string[] {
  const { row, model, extraArgs } = provider;
  const { grant, writableFolders, server, session } = options;
  const unguarded = skipsAllPermissions(provider, options);
  const writes = row.writableArgs !== null && !unguarded && grant.task === "work" && writableFolders.length > 0;
  return [
    ...row.args,
    ...(unguarded ? row.skipArgs : row.guardedArgs(grant)),
    ...(writes ? (row.writableArgs?.(writableFolders) ?? []) : []),
    ...(row.mcp?.kind === "arguments" && server !== null ? row.mcp.args(server) : []),
    ...(model === null ? [] : row.modelArgs),
    ...extraArgs,
    ...buildSessionArguments(row, session),
    ...row.lastArgs,
  ];
}

function buildSessionArguments(row: ProviderRow, session: AgentSession | null): readonly string[] {
  if (session === null) return [];
  const args = session.isNew ? row.newSessionArgs : row.resumeArgs;
  return args?.(session.name) ?? [];
}

function buildRunFile(
  provider: Provider,
  place: LaunchOptions,
): { readonly path: string; readonly text: string } | null {
  const { runFile } = provider.row;
  if (runFile === null) return null;
  const grant = skipsAllPermissions(provider, place) ? null : place.grant;
  return { path: `${place.runFile}${runFile.suffix}`, text: runFile.text(place.server, grant) };
}

function buildProjectFile({ row }: Provider, server: McpServerCommand | null): ExtendedConfigFile | null {
  if (row.mcp?.kind !== "project_file" || server === null) return null;
  const { files, extend } = row.mcp.file;
  return { files, extend: (file, text) => extend(file, text, { ...server, trusted: true }) };
}

function fillPlaceholders(piece: string, { name, model }: Provider, place: LaunchOptions): string {
  return piece.replace(/\{(prompt_file|mcp_config|run_file|dir|model)\}/g, (_, placeholder: string) => {
    if (placeholder === "prompt_file") return place.promptFile;
    if (placeholder === "mcp_config") return place.mcpConfigFile;
    if (placeholder === "run_file") return place.runFile;
    if (placeholder === "dir") return place.dir;
    if (model !== null) return model;
    throw createPreconditionError(
      `Cannot start the agent "${name}": argument "${piece}" requires a model: expected "defaults.model" or the spec's own`,
    );
  });
}

function buildPromptArguments(
  pieces: readonly string[],
  { promptVia }: Provider,
  place: LaunchOptions,
): readonly string[] {
  if (promptVia === "stdin") return [];
  if (promptVia === "file") return pieces.some((piece) => piece.includes("{prompt_file}")) ? [] : [place.promptFile];
  if (new TextEncoder().encode(place.prompt).length > MAX_PROMPT_ARGUMENT_BYTES) {
    return [`Read the whole file ${place.promptFile} and do what it says.`];
  }
  // A prompt that begins with a dash would be parsed as a flag.
  return [place.prompt.startsWith("-") ? `\n${place.prompt}` : place.prompt];
}

/**
 * Returns the limits of one run: the spec's own `limits` override those of its agent, which override the project's.
 * Ignores values in the spec that are not positive numbers.
 *
 * Source: docs/work.md#limits.
 */
export function resolveRunLimits(
  { limits, providers }: Pick<PlannerConfig, "limits" | "providers">,
  provider: string,
  frontmatter: Readonly<Record<string, unknown>>,
): LimitSettings {
  const agentLimits = Object.hasOwn(providers, provider) ? providers[provider]?.limits : undefined;
  return { ...limits, ...agentLimits, ...parseSpecLimits(frontmatter["limits"]) };
}

const LIMIT_NAMES = ["run_seconds", "silence_seconds", "tokens", "cost_usd"] as const;

function parseSpecLimits(field: unknown): Partial<LimitSettings> {
  if (!isJsonObject(field)) return {};
  const own: { [Name in (typeof LIMIT_NAMES)[number]]?: number } = {};
  for (const name of LIMIT_NAMES) {
    const value = field[name];
    if (typeof value === "number" && value > 0 && Number.isFinite(value)) own[name] = value;
  }
  return own;
}

/** Returns why tokens or cost exceed a limit; null while they are within the limits. */
export function explainExceededLimit(usage: Usage | null, { tokens, cost_usd }: LimitSettings): string | null {
  if (usage === null) return null;
  if (tokens !== null && countTokens(usage) >= tokens)
    return `it reached limits.tokens: ${countTokens(usage)} of ${tokens}`;
  if (cost_usd === null || usage.cost_usd === null || usage.cost_usd < cost_usd) return null;
  return `it reached limits.cost_usd: ${formatDollars(usage.cost_usd)} of ${formatDollars(cost_usd)}`;
}
