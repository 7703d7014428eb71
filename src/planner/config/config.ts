import type { Forge, PromptVia, RuleName, RuleSeverity, StreamKind } from "./config_values.ts";

/** Type and values of one frontmatter field. Source: docs/contract/spec-tool.md#configuration. */
export interface FieldRule {
  readonly type?: "string" | "array" | "boolean" | "integer" | "number" | "object";
  readonly enum?: readonly string[];
  readonly items?: "string" | "boolean" | "integer" | "number";
}

/** Where the complexity and model_waste rules begin to speak. */
export interface LintThresholds {
  readonly complexity_criteria: number;
  readonly complexity_files: number;
  readonly complexity_words: number;
  readonly simple_criteria: number;
  readonly simple_files: number;
  readonly simple_words: number;
}

/** Settings of one agent. The provider table supplies absent ones. */
export interface ProviderSettings {
  /** The program, by its name on PATH or its path. */
  readonly command?: string;
  /** Added behind the row's own arguments; may hold `{prompt_file}`, `{model}` and `{mcp_config}`. */
  readonly args?: readonly string[];
  readonly prompt_via?: PromptVia;
  readonly stream?: StreamKind;
  readonly env?: Readonly<Record<string, string>>;
  /** True: the agent runs with its flag that skips permissions. */
  readonly skip_permissions?: boolean;
  /** In place of those of the project. */
  readonly limits?: Partial<LimitSettings>;
}

/** What one run may take; null for no limit. */
export interface LimitSettings {
  readonly run_seconds: number | null;
  /** Without output of the agent, a changed file or use of the processor. */
  readonly silence_seconds: number | null;
  /** Input and output tokens together, as the agent reports them. */
  readonly tokens: number | null;
  readonly cost_usd: number | null;
}

export interface WorktreeSettings {
  /** Commands that install what the project needs; null if nothing was said. */
  readonly setup: readonly string[] | null;
  /** For each of them. */
  readonly setup_seconds: number;
  /** Patterns of files that git ignores and a worktree needs. */
  readonly copy: readonly string[];
  /** Paths of ignored files and folders that are copied as a whole. */
  readonly link: readonly string[];
  /** Paths that become symbolic links to the project's own. */
  readonly symlink: readonly string[];
  /** What new branches begin at; null for the main branch. */
  readonly base: string | null;
  /** Whether `PORT` is set to a free port. */
  readonly port: boolean;
}

/** Claims that other clones see. Source: docs/claims.md. */
export interface ClaimSettings {
  /** Name of the git remote that has them; null for claims within this clone only. */
  readonly remote: string | null;
  /** Time between two renewals; a claim is stale after 3.75 times this. */
  readonly renew_minutes: number;
}

/** Pull requests. Source: docs/pr.md. */
export interface RequestSettings {
  /** Name of the git remote that branches are pushed to; null for the one that git pushes to. */
  readonly remote: string | null;
  /** Name of the git remote that requests are made in, if that one is a fork; null for the same. */
  readonly upstream: string | null;
  /** Branch there that requests are for; null for the name of the main branch. */
  readonly base: string | null;
  /** Null to know it by the host's name. */
  readonly forge: Forge | null;
  /** Whether the records of runs are pushed too. */
  readonly records: boolean;
}

/** Source: docs/decisions.md#s-27. */
export interface WatchSettings {
  readonly poll_interval_ms: number;
  /** Minutes without work after which watch ends; 0 means never. */
  readonly idle_timeout_minutes: number;
  /** How often a failed spec is tried again; 0 means never. */
  readonly max_retries: number;
  /** Wait before the first retry. */
  readonly retry_delay_ms: number;
  /** Each further wait is the one before times this. */
  readonly backoff_multiplier: number;
}

/** `.planner/config.md`, every key filled in. */
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
    /** Branch that finished work is merged into; null means the one that the project's own checkout is on. */
    readonly main_branch: string | null;
    /** Whether a later run continues the agent's own session of the last one, where there is one. */
    readonly resume: boolean;
  };
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly schema: {
    readonly spec: { readonly required: readonly string[]; readonly fields: Readonly<Record<string, FieldRule>> };
  };
  readonly validation: { readonly strict_output_validation: boolean };
  readonly verify: {
    readonly commands: readonly string[];
    /** For each of the commands. */
    readonly timeout_seconds: number;
    readonly require_commit: boolean;
    /** How many of the commands and of the criteria's checks run side by side. */
    readonly parallel: number;
    /** Whether lint reports criteria without a check. */
    readonly require_checks: boolean;
    /** Patterns of files by which checks judge: a branch's change of one is not taken for proof. */
    readonly protect: readonly string[];
  };
  readonly git: {
    /** Form of commit messages, with `{id}`, `{title}` and `{summary}`; null for planner's own. */
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
    /** In place of the rule's own. */
    readonly severity: Partial<Readonly<Record<RuleName, RuleSeverity>>>;
  };
}

/** The settings by which specs are judged. */
export type SpecRules = Pick<PlannerConfig, "schema" | "lint">;
