import { PRIORITIES } from "../spec/spec.ts";

/** Path of the settings from the project root. Source: docs/decisions.md#s-01. */
export const CONFIG_FILE = ".planner/config.md";

/** Names of the agents in the provider table, the default first. Source: docs/decisions.md#s-22. */
export const PROVIDER_NAMES = [
  "claude",
  "codex",
  "gemini",
  "cursor-agent",
  "opencode",
  "kiro",
  "qwen",
  "copilot",
  "command",
] as const;

export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** Ways to give an agent its prompt: as its last argument, on standard input, or as a file that its arguments name. */
export const PROMPT_CHANNELS = ["argument", "stdin", "file"] as const;

export type PromptChannel = (typeof PROMPT_CHANNELS)[number];

/** Formats of an agent's output: plain text, or the JSON lines of the named agent. */
export const STREAM_KINDS = ["text", "claude", "codex", "gemini", "cursor", "opencode", "copilot"] as const;

export type StreamKind = (typeof STREAM_KINDS)[number];

/** Kinds of servers on which pull requests can be opened. */
export const FORGES = ["github", "gitlab"] as const;

export type Forge = (typeof FORGES)[number];

/**
 * Names of the lint rules in report order: rules about the frontmatter, then about its references, then advice.
 * Source: docs/contract/spec-tool.md#lint-diagnostic; order from docs/decisions.md#s-11.
 */
export const RULE_NAMES = [
  "parse",
  "required",
  "title",
  "type",
  "dependency",
  "approval",
  "output",
  "criteria",
  "complexity",
  "coupling",
  "model_waste",
] as const;

/** Severities of a rule's findings; `off` disables the rule. */
export const RULE_SEVERITIES = ["error", "warning", "off"] as const;

type RuleSeverity = (typeof RULE_SEVERITIES)[number];

export type RuleName = (typeof RULE_NAMES)[number];

/** Type and values of one frontmatter field. Source: docs/contract/spec-tool.md#configuration. */
export interface FieldRule {
  readonly type?: "string" | "array" | "boolean" | "integer" | "number" | "object";
  readonly enum?: readonly string[];
  readonly items?: "string" | "boolean" | "integer" | "number";
}

/** Limits above or below which the rules complexity and model_waste report a spec. */
interface LintThresholds {
  readonly complexity_criteria: number;
  readonly complexity_files: number;
  readonly complexity_words: number;
  readonly simple_criteria: number;
  readonly simple_files: number;
  readonly simple_words: number;
}

/** Settings of one agent. Absent ones have the value of the provider table. */
export interface ProviderSettings {
  /** The program: a name on PATH, or a path. */
  readonly command?: string;
  /** Arguments added after those of the provider table; may contain `{prompt_file}`, `{model}` and `{mcp_config}`. */
  readonly args?: readonly string[];
  readonly prompt_via?: PromptChannel;
  readonly stream?: StreamKind;
  readonly env?: Readonly<Record<string, string>>;
  /** True to start the agent with its flag that skips permission prompts. */
  readonly skip_permissions?: boolean;
  /** Limits that replace those of the project. */
  readonly limits?: Partial<LimitSettings>;
}

/** Limits of one run; null means no limit. */
export interface LimitSettings {
  readonly run_seconds: number | null;
  /** Seconds without output of the agent, a changed file or processor use. */
  readonly silence_seconds: number | null;
  /** Sum of input and output tokens, as the agent reports them. */
  readonly tokens: number | null;
  readonly cost_usd: number | null;
}

interface WorktreeSettings {
  /** Folder in which worktrees are created, from the project's root; null for the user's state folder. */
  readonly directory: string | null;
  /** Commands that install what the project needs; null if not configured. */
  readonly setup: readonly string[] | null;
  /** Time limit of each setup command, in seconds. */
  readonly setup_seconds: number;
  /** Patterns of files that git ignores and that are copied into a worktree. */
  readonly copy: readonly string[];
  /** Paths of ignored files and folders that are copied as a whole. */
  readonly link: readonly string[];
  /** Paths that become symbolic links to the same paths of the project. */
  readonly symlink: readonly string[];
  /** Branch that new branches start from; null for the main branch. */
  readonly base: string | null;
  /** Whether `PORT` is set to a free port. */
  readonly port: boolean;
}

/** Settings of claims, by which other clones see that a spec is worked on. Source: docs/claims.md. */
interface ClaimSettings {
  /** Name of the git remote that stores claims; null for claims within this clone only. */
  readonly remote: string | null;
  /** Minutes between two renewals; a claim is stale after 3.75 times this. */
  readonly renew_minutes: number;
}

/** Settings of pull requests. Source: docs/pr.md. */
export interface RequestSettings {
  /** Name of the git remote that branches are pushed to; null for git's own choice. */
  readonly remote: string | null;
  /** Name of the git remote in which requests are opened, if `remote` is a fork of it; null for `remote`. */
  readonly upstream: string | null;
  /** Target branch of requests; null for the name of the main branch. */
  readonly base: string | null;
  /** Kind of server; null to detect it by the host's name. */
  readonly forge: Forge | null;
  /** Whether run records are pushed too. */
  readonly records: boolean;
}

/** Settings of `planner watch`. Source: docs/decisions.md#s-27. */
export interface WatchSettings {
  readonly poll_interval_ms: number;
  /** Minutes without work after which watch exits; 0 means never. */
  readonly idle_timeout_minutes: number;
  /** Maximum number of retries of a failed spec; 0 means none. */
  readonly max_retries: number;
  /** Milliseconds before the first retry. */
  readonly retry_delay_ms: number;
  /** Factor by which the delay grows with each retry. */
  readonly backoff_multiplier: number;
}

/** The settings of `.planner/config.md` with all defaults filled in. */
export interface PlannerConfig {
  readonly project: { readonly name: string | null };
  readonly defaults: {
    readonly prompt: string | null;
    /** A name of the provider table or a key of `providers`. */
    readonly provider: string;
    readonly model: string | null;
    /** Model of `planner split`; null means `model`. */
    readonly split_model: string | null;
    readonly branch_prefix: string;
    /** Branch that finished work is merged into; null for the branch that the project's checkout is on. */
    readonly main_branch: string | null;
    /** Whether a later run resumes the agent's session of the previous run, if there is one. */
    readonly resume: boolean;
  };
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly schema: {
    readonly spec: { readonly required: readonly string[]; readonly fields: Readonly<Record<string, FieldRule>> };
  };
  readonly validation: { readonly strict_output_validation: boolean };
  readonly verify: {
    readonly commands: readonly string[];
    /** Time limit of each command, in seconds. */
    readonly timeout_seconds: number;
    readonly require_commit: boolean;
    /** Maximum number of commands and criterion checks that run at the same time. */
    readonly parallel: number;
    /** Whether lint reports criteria without a check. */
    readonly require_checks: boolean;
    /** Patterns of files that checks depend on. If a branch changes one, its checks are no evidence. */
    readonly protect: readonly string[];
  };
  readonly git: {
    /** Template of commit messages with `{id}`, `{title}` and `{summary}`; null for the default message. */
    readonly commit_template: string | null;
  };
  readonly claims: ClaimSettings;
  readonly pr: RequestSettings;
  readonly runs: {
    /** Whether each run's record is also written as a file and committed on the run's branch. */
    readonly commit: boolean;
  };
  readonly worktree: WorktreeSettings;
  readonly limits: LimitSettings;
  readonly log: { readonly max_bytes: number };
  readonly watch: WatchSettings;
  readonly parallel: { readonly max: number };
  readonly lint: {
    readonly thresholds: LintThresholds;
    readonly disable: readonly RuleName[];
    /** Severity by rule, replacing the rule's default. */
    readonly severity: Partial<Readonly<Record<RuleName, RuleSeverity>>>;
  };
}

/** The settings that lint rules read. */
export type SpecRules = Pick<PlannerConfig, "schema" | "lint">;

/**
 * Settings used for keys that `.planner/config.md` does not set. The field rules come from the contract's table of spec
 * fields; the thresholds are those that earlier projects of this kind used.
 *
 * Source: docs/contract/spec-tool.md#configuration; docs/decisions.md#s-11.
 */
export const DEFAULT_CONFIG: PlannerConfig = {
  project: { name: null },
  defaults: {
    prompt: null,
    provider: "claude",
    model: null,
    split_model: null,
    branch_prefix: "planner/",
    main_branch: null,
    resume: false,
  },
  providers: {},
  schema: {
    spec: {
      required: ["status"],
      fields: {
        id: { type: "string" },
        status: { type: "string", enum: ["pending", "in_progress", "completed", "failed"] },
        title: { type: "string" },
        type: { type: "string" },
        depends_on: { type: "array", items: "string" },
        labels: { type: "array", items: "string" },
        target_files: { type: "array", items: "string" },
        model: { type: "string" },
        output_schema: { type: "string" },
        priority: { type: "string", enum: PRIORITIES },
        assignee: { type: "string" },
        due: { type: "string" },
      },
    },
  },
  validation: { strict_output_validation: false },
  verify: {
    commands: [],
    timeout_seconds: 600,
    require_commit: false,
    parallel: 1,
    require_checks: false,
    protect: [],
  },
  git: { commit_template: null },
  claims: { remote: null, renew_minutes: 4 },
  pr: { remote: null, upstream: null, base: null, forge: null, records: false },
  runs: { commit: false },
  worktree: {
    directory: null,
    setup: null,
    setup_seconds: 900,
    copy: [],
    link: [],
    symlink: [],
    base: null,
    port: false,
  },
  limits: { run_seconds: null, silence_seconds: 1200, tokens: null, cost_usd: null },
  // The output of one hour of an agent is below 4 MB. Half of the limit is buffered in memory.
  log: { max_bytes: 16_777_216 },
  watch: {
    poll_interval_ms: 5000,
    idle_timeout_minutes: 5,
    max_retries: 3,
    retry_delay_ms: 60_000,
    backoff_multiplier: 2,
  },
  parallel: { max: 8 },
  lint: {
    thresholds: {
      complexity_criteria: 10,
      complexity_files: 5,
      complexity_words: 150,
      simple_criteria: 1,
      simple_files: 1,
      simple_words: 3,
    },
    disable: [],
    severity: {},
  },
};
