import { KindGuard, type TSchema } from "@sinclair/typebox";
import { describeExpected } from "./check_config.ts";
import { DEFAULT_CONFIG, PROVIDER_NAMES } from "./config.ts";
import { CONFIG_SCHEMA } from "./config_schema.ts";

/** Effects of settings by path; `<name>` is a key that users choose. The severity of lint rules is listed once. */
const SETTING_EFFECTS: Readonly<Record<string, string>> = {
  "project.name": "Name of the project, {{project.name}} in prompts",
  "schema.spec.required": "Frontmatter fields that every spec must have",
  "schema.spec.fields.<name>.type": "Type of a field; another type than the default's drops the default's rule",
  "schema.spec.fields.<name>.enum": "Values that a field may have",
  "schema.spec.fields.<name>.items": "Type of a list's entries",
  "validation.strict_output_validation":
    "A completed spec whose output does not fit its schema needs attention, rather than a warning",
  "lint.disable": "Rules that are switched off",
  "lint.severity.<name>": "How the findings of the rule of this name count; off as lint.disable",
  "lint.thresholds.complexity_criteria": "More criteria are too many for one spec",
  "lint.thresholds.complexity_files": "More target files are too many",
  "lint.thresholds.complexity_words": "More words are too many",
  "lint.thresholds.simple_criteria": "Up to so many criteria a spec is simple: no work for an expensive model",
  "lint.thresholds.simple_files": "Up to so many target files a spec is simple",
  "lint.thresholds.simple_words": "Up to so many words a spec is simple",
  "defaults.provider": `Agent that works specs: ${PROVIDER_NAMES.join(", ")}, or a key of providers`,
  "defaults.model": "Model passed to the agent; a spec's model wins. None: the agent chooses",
  "defaults.split_model": "Model of planner split; none: defaults.model",
  "defaults.prompt":
    "Template under .planner/prompts/ that prompts are written with; a spec's own prompt wins. None: the built-in one",
  "defaults.branch_prefix": "A run's branch is this and the spec's id",
  "defaults.main_branch":
    "Branch that finished work is merged into; none: the one that the project's own checkout is on",
  "defaults.resume":
    "A later run continues the agent's own session of the last run if there is one; also for retries of watch and runs in the background",
  "providers.<name>.command": "Program, by its name on PATH or its path; a name that is in no row needs one",
  "providers.<name>.args":
    "Arguments added behind the row's own; {prompt_file}, {model} and {mcp_config} are filled in",
  "providers.<name>.prompt_via": "How the prompt reaches the agent",
  "providers.<name>.stream": "How its standard output is read",
  "providers.<name>.env.<name>": "Variables added to the agent's environment",
  "providers.<name>.skip_permissions":
    "Passes the agent's flag for asking no permission at all; nothing else ever does",
  "providers.<name>.limits.run_seconds": "In place of limits.run_seconds for this agent",
  "providers.<name>.limits.silence_seconds": "In place of limits.silence_seconds for this agent",
  "providers.<name>.limits.tokens": "In place of limits.tokens for this agent",
  "providers.<name>.limits.cost_usd": "In place of limits.cost_usd for this agent",
  "limits.run_seconds": "Seconds that a run may take",
  "limits.silence_seconds": "Seconds without output of the agent, a changed file or use of the processor",
  "limits.tokens": "Input and output tokens of a run, as the agent reports them",
  "limits.cost_usd": "US dollars of a run, as the agent reports them",
  "log.max_bytes": "Bytes of a run's log; the middle of more is left out, and a line says so",
  "parallel.max": "Most specs that are worked at a time; a larger --parallel is refused",
  "worktree.directory":
    "Folder for worktrees, from the project's root or from ~; best outside of the repository. None: the folder planner in $XDG_STATE_HOME, ~/.local/state or %LOCALAPPDATA%",
  "worktree.setup": "Commands that make a new worktree build: npm ci --prefer-offline; []: none are needed",
  "worktree.setup_seconds": "Seconds that each of these commands may take",
  "worktree.copy": "Patterns of ignored files that a worktree needs, .env*; .worktreeinclude is read as well",
  "worktree.link":
    "Paths of ignored files and folders that a worktree gets as copies; the file system shares their blocks where it can. Refused for node_modules, .venv, venv and target",
  "worktree.symlink":
    "Paths that a worktree gets as symbolic links: what the agent changes there, it changes in your folder. Refused likewise",
  "worktree.base":
    "Branch, tag or commit that new branches begin at; the main branch must hold it. None: the end of the main branch",
  "worktree.port": "Sets PORT to a free port for the agent and the commands",
  "verify.commands": "Commands that must succeed in the worktree before a spec is completed",
  "verify.timeout_seconds": "Seconds that each of these commands may take; it is ended then and counts as failed",
  "verify.require_commit":
    "Completion needs a commit of the run that names the spec: planner(<id>), a line Planner-Spec: <id>, or the id itself where git.commit_template has one",
  "verify.parallel": "How many of the commands and checks run side by side",
  "verify.require_checks": "Lint reports criteria without a check",
  "verify.protect":
    "Patterns of files by which checks judge; a branch's change of one is no proof until a person accepts it",
  "git.commit_template": "Form of commit messages, see docs/work.md",
  "claims.remote": "Claims specs at this remote too, so that other clones see them: docs/claims.md",
  "claims.renew_minutes": "Minutes between two renewals of these claims; one is stale after 3.75 times as long",
  "pr.remote": "Remote that planner pr pushes branches to; none: the one that git pushes to, see docs/pr.md",
  "pr.upstream": "Remote in which pull requests are made, if pr.remote is a fork of it",
  "pr.base": "Branch there that pull requests are for; none: the one that the main branch follows",
  "pr.forge": "Kind of the server; none: by the name of its host",
  "pr.records": "planner pr pushes the records of the runs too",
  "runs.commit": "Also writes each run's record to .planner/runs/<id>/<n>.json and commits it on the run's branch",
  "watch.poll_interval_ms": "Milliseconds between two looks at the worktrees",
  "watch.idle_timeout_minutes": "Minutes without work after which watch ends; 0: never",
  "watch.max_retries": "How often a failed spec is tried again; 0: never",
  "watch.retry_delay_ms": "Milliseconds before the first retry",
  "watch.backoff_multiplier": "Each further wait is the one before times this",
};

/** Path below which every lint rule has a setting; one description covers all of them. */
const RULE_SEVERITY_PATH = "lint.severity";

export interface Setting {
  /** For example `watch.max_retries`; `<name>` is a key that users choose. */
  readonly path: string;
  /** Description of the expected value, as in error messages. */
  readonly value: string;
  /** The default value; null without a default. */
  readonly default: unknown;
  readonly effect: string;
}

/** Returns every setting of `.planner/config.md`, in the order of the documentation. */
export function describeSettings(): readonly Setting[] {
  const schemas = new Map(listSchemasByPath(CONFIG_SCHEMA, []));
  return Object.entries(SETTING_EFFECTS).map(([path, effect]) => {
    const schema = schemas.get(path);
    if (schema === undefined) throw new Error(`there is no setting "${path}"`);
    return { path, value: describeExpected(schema), default: findDefault(path), effect };
  });
}

/** Returns the paths of all settings in the schema. */
export function listSettingPaths(): readonly string[] {
  return listSchemasByPath(CONFIG_SCHEMA, []).map(([path]) => path);
}

function listSchemasByPath(schema: TSchema, path: readonly string[]): readonly (readonly [string, TSchema])[] {
  const name = path.join(".");
  if (KindGuard.IsObject(schema)) {
    const inner = Object.entries(schema.properties);
    if (name === RULE_SEVERITY_PATH) return inner.slice(0, 1).map(([, rule]) => [`${RULE_SEVERITY_PATH}.<name>`, rule]);
    return inner.flatMap(([key, one]) => listSchemasByPath(one, [...path, key]));
  }
  const [inner] = KindGuard.IsRecord(schema) ? Object.values(schema.patternProperties) : [];
  return inner === undefined ? [[name, schema]] : listSchemasByPath(inner, [...path, "<name>"]);
}

function findDefault(path: string): unknown {
  if (path.includes("<name>")) return null;
  return path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], DEFAULT_CONFIG) ?? null;
}
