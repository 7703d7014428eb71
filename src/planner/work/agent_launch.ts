import { OperationError } from "#kernel/errors.ts";
import { MAX_PROMPT_ARGUMENT_BYTES } from "../limits.ts";
import { type McpServer, mcpConfigText } from "./mcp_config/agent_files.ts";
import type { ConfigEdit } from "./mcp_config/config_edit.ts";
import type { Grant } from "./providers/grant.ts";
import type { ProviderRow } from "./providers/provider_row.ts";
import type { Provider } from "./providers.ts";

/** Where one run happens. Paths are absolute. */
export interface LaunchPlace {
  readonly prompt: string;
  /** Files that the run may write for itself, outside of what is committed. */
  readonly promptFile: string;
  readonly mcpConfigFile: string;
  /** The beginning of the path of the agent's own settings for the run. */
  readonly runFile: string;
  /** The working directory. */
  readonly dir: string;
  /** How the agent starts `planner mcp` for this run's worktree; null gives it no server. */
  readonly server: McpServer | null;
  readonly grant: Grant;
  /** The agent's own session to continue or to begin; null if the agent names a new one itself. */
  readonly session: AgentSession | null;
  /** Folders outside the working directory that a commit writes to: git's own. */
  readonly writable: readonly string[];
}

export interface AgentSession {
  readonly name: string;
  readonly isNew: boolean;
}

export interface ProjectFile {
  /** Paths from the working directory; the first that exists is extended, else the first is made. */
  readonly files: readonly [string, ...string[]];
  /** Adds the server; a person's own entry of that name stays. The text is empty for a file that is to be made. */
  extend(file: string, text: string): Promise<ConfigEdit>;
}

/** Everything that starting an agent takes. */
export interface AgentLaunch {
  /** Program and arguments; no shell sees them. */
  readonly argv: readonly string[];
  /** On top of the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The text for standard input, or null when it is empty. */
  readonly input: string | null;
  /** Files to write first, by absolute path. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** To be extended first. */
  readonly projectFile: ProjectFile | null;
}

/**
 * The command line of a run.
 *
 * A prompt that is too long for an argument stays in its file, and the argument refers to the file.
 *
 * @throws OperationError `failed_precondition` if an argument needs a model and none is chosen
 */
export function agentLaunch(provider: Provider, place: LaunchPlace): AgentLaunch {
  const { row } = provider;
  const runFile = runFileOf(provider, place);
  const pieces = argumentsOf(provider, place);
  const fill = (piece: string): string => fillPlaceholders(piece, provider, { ...place, runFile: runFile?.path ?? "" });
  const argv = [provider.program, ...pieces.map(fill), ...promptArgs(pieces, provider, place)];
  const env = Object.fromEntries(Object.entries(row.env).map(([name, value]) => [name, fill(value)]));
  const named = [...argv, ...Object.values(env)];
  const files = [
    { path: place.promptFile, text: place.prompt },
    { path: place.mcpConfigFile, text: mcpConfigText(place.server) },
    ...(runFile === null ? [] : [runFile]),
  ];
  return {
    argv,
    env: { ...env, ...provider.env },
    input: provider.promptVia === "stdin" ? place.prompt : null,
    files: files.filter(({ path }) => named.some((argument) => argument.includes(path))),
    projectFile: projectFile(provider, place.server),
  };
}

/** Skipping permissions is for work: a split has nothing to change. */
function isUnguarded({ skipsPermissions }: Provider, { grant }: LaunchPlace): boolean {
  return skipsPermissions && grant.task === "work";
}

function argumentsOf(provider: Provider, place: LaunchPlace): readonly string[] {
  const { row, model, extraArgs } = provider;
  const { grant, writable, server, session } = place;
  const unguarded = isUnguarded(provider, place);
  const writes = row.writableArgs !== null && !unguarded && grant.task === "work" && writable.length > 0;
  return [
    ...row.args,
    ...(unguarded ? row.skipArgs : row.guardedArgs(grant)),
    ...(writes ? (row.writableArgs?.(writable) ?? []) : []),
    ...(row.mcp?.kind === "arguments" && server !== null ? row.mcp.args(server) : []),
    ...(model === null ? [] : row.modelArgs),
    ...extraArgs,
    ...sessionArgs(row, session),
    ...row.lastArgs,
  ];
}

function sessionArgs(row: ProviderRow, session: AgentSession | null): readonly string[] {
  if (session === null) return [];
  const args = session.isNew ? row.newSessionArgs : row.resumeArgs;
  return args?.(session.name) ?? [];
}

function runFileOf(provider: Provider, place: LaunchPlace): { readonly path: string; readonly text: string } | null {
  const { runFile } = provider.row;
  if (runFile === null) return null;
  const grant = isUnguarded(provider, place) ? null : place.grant;
  return { path: `${place.runFile}${runFile.suffix}`, text: runFile.text(place.server, grant) };
}

function projectFile({ row }: Provider, server: McpServer | null): ProjectFile | null {
  if (row.mcp?.kind !== "project_file" || server === null) return null;
  const { files, extend } = row.mcp.file;
  return { files, extend: (file, text) => extend(file, text, { ...server, trusted: true }) };
}

function fillPlaceholders(piece: string, { name, model }: Provider, place: LaunchPlace): string {
  return piece.replace(/\{(prompt_file|mcp_config|run_file|dir|model)\}/g, (_, word: string) => {
    if (word === "prompt_file") return place.promptFile;
    if (word === "mcp_config") return place.mcpConfigFile;
    if (word === "run_file") return place.runFile;
    if (word === "dir") return place.dir;
    if (model !== null) return model;
    throw new OperationError(
      "failed_precondition",
      `Cannot start the agent "${name}": argument "${piece}" requires a model: expected "defaults.model" or the spec's own`,
    );
  });
}

function promptArgs(pieces: readonly string[], { promptVia }: Provider, place: LaunchPlace): readonly string[] {
  if (promptVia === "stdin") return [];
  if (promptVia === "file") return pieces.some((piece) => piece.includes("{prompt_file}")) ? [] : [place.promptFile];
  if (new TextEncoder().encode(place.prompt).length > MAX_PROMPT_ARGUMENT_BYTES) {
    return [`Read the whole file ${place.promptFile} and do what it says.`];
  }
  // A prompt that begins with a dash would be read as a flag.
  return [place.prompt.startsWith("-") ? `\n${place.prompt}` : place.prompt];
}
