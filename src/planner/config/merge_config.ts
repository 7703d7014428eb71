import type {
  ClaimSettings,
  FieldRule,
  LimitSettings,
  LintThresholds,
  PlannerConfig,
  ProviderSettings,
  RequestSettings,
  WatchSettings,
  WorktreeSettings,
} from "./config.ts";
import type { RuleName, RuleSeverity } from "./config_values.ts";
import { DEFAULT_CONFIG } from "./default_config.ts";

/** A field's rule as it may be written; values of other types in `enum` are compared by their text. */
export interface WrittenFieldRule extends Omit<FieldRule, "enum"> {
  readonly enum?: readonly (string | number | boolean)[];
}

/** An agent's settings as they may be written; values in `env` may be numbers and booleans. */
export interface WrittenProvider extends Omit<ProviderSettings, "env"> {
  readonly env?: Readonly<Record<string, string | number | boolean>>;
}

/** The frontmatter of `.planner/config.md` once it has been checked. */
export interface WrittenConfig {
  readonly project?: { readonly name?: string };
  readonly defaults?: {
    readonly prompt?: string;
    readonly provider?: string;
    readonly model?: string;
    readonly split_model?: string;
    readonly branch_prefix?: string;
    readonly main_branch?: string;
  };
  readonly providers?: Readonly<Record<string, WrittenProvider>>;
  readonly schema?: {
    readonly spec?: {
      readonly required?: readonly string[];
      readonly fields?: Readonly<Record<string, WrittenFieldRule>>;
    };
  };
  readonly validation?: { readonly strict_output_validation?: boolean };
  readonly verify?: Partial<PlannerConfig["verify"]>;
  readonly git?: { readonly commit_template?: string };
  readonly claims?: Partial<ClaimSettings>;
  readonly pr?: Partial<RequestSettings>;
  readonly runs?: { readonly commit?: boolean };
  readonly worktree?: Partial<WorktreeSettings>;
  readonly limits?: Partial<LimitSettings>;
  readonly log?: Partial<PlannerConfig["log"]>;
  readonly watch?: Partial<WatchSettings>;
  readonly parallel?: { readonly max?: number };
  readonly lint?: {
    readonly thresholds?: Partial<LintThresholds>;
    readonly disable?: readonly RuleName[];
    readonly severity?: Partial<Readonly<Record<RuleName, RuleSeverity>>>;
  };
}

/**
 * Lays what is written over the defaults: single values and lists replace, `schema.spec.fields` is merged field by
 * field and key by key, so that `fields.status.enum` alone does not lose the field's type.
 */
export function mergeConfig(written: WrittenConfig): PlannerConfig {
  const {
    project,
    defaults,
    schema,
    validation,
    verify,
    git,
    claims,
    pr,
    runs,
    worktree,
    limits,
    log,
    watch,
    parallel,
    lint,
  } = DEFAULT_CONFIG;
  return {
    project: { ...project, ...written.project },
    defaults: { ...defaults, ...written.defaults },
    providers: mergeProviders(written.providers ?? {}),
    schema: {
      spec: {
        required: [...new Set(written.schema?.spec?.required ?? schema.spec.required)],
        fields: mergeFields(written.schema?.spec?.fields ?? {}),
      },
    },
    validation: { ...validation, ...written.validation },
    verify: { ...verify, ...written.verify },
    git: { ...git, ...written.git },
    claims: { ...claims, ...written.claims },
    pr: { ...pr, ...written.pr },
    runs: { ...runs, ...written.runs },
    worktree: { ...worktree, ...written.worktree },
    limits: { ...limits, ...written.limits },
    log: { ...log, ...written.log },
    watch: { ...watch, ...written.watch },
    parallel: { ...parallel, ...written.parallel },
    lint: {
      thresholds: { ...lint.thresholds, ...written.lint?.thresholds },
      disable: [...new Set(written.lint?.disable ?? lint.disable)],
      severity: { ...lint.severity, ...written.lint?.severity },
    },
  };
}

function mergeProviders(written: Readonly<Record<string, WrittenProvider>>): Record<string, ProviderSettings> {
  return Object.fromEntries(
    Object.entries(written).map(([name, { env, ...rest }]) => [
      name,
      env === undefined ? rest : { ...rest, env: texts(env) },
    ]),
  );
}

function texts(values: Readonly<Record<string, string | number | boolean>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

function mergeFields(written: Readonly<Record<string, WrittenFieldRule>>): Record<string, FieldRule> {
  const defaults = DEFAULT_CONFIG.schema.spec.fields;
  const names = [...new Set([...Object.keys(defaults), ...Object.keys(written)])];
  return Object.fromEntries(
    names.map((name) => {
      const own = Object.hasOwn(written, name) ? written[name] : undefined;
      return [name, { ...inheritRule(defaults[name], own), ...own, ...enumOf(own) } as FieldRule];
    }),
  );
}

/** A field that is given another type keeps nothing of its old rule. */
function inheritRule(rule: FieldRule | undefined, own: WrittenFieldRule | undefined): FieldRule {
  return rule === undefined || (own?.type !== undefined && own.type !== rule.type) ? {} : rule;
}

function enumOf(rule: WrittenFieldRule | undefined): Pick<FieldRule, "enum"> {
  return rule?.enum === undefined ? {} : { enum: [...new Set(rule.enum.map(String))] };
}
