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

/** A field rule as configured. Values of `enum` may have any scalar type and are compared as text. */
export interface WrittenFieldRule extends Omit<FieldRule, "enum"> {
  readonly enum?: readonly (string | number | boolean)[];
}

/** Agent settings as written in the configuration; values in `env` may be numbers and booleans. */
export interface WrittenProvider extends Omit<ProviderSettings, "env"> {
  readonly env?: Readonly<Record<string, string | number | boolean>>;
}

/** The frontmatter of `.planner/config.md` after validation. */
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
 * Merges the written settings into the defaults. Single values and lists replace the default. `schema.spec.fields` is
 * merged field by field and key by key, so that setting `fields.status.enum` keeps the field's type.
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
        fields: mergeFieldRules(written.schema?.spec?.fields ?? {}),
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
      env === undefined ? rest : { ...rest, env: stringifyValues(env) },
    ]),
  );
}

function stringifyValues(values: Readonly<Record<string, string | number | boolean>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

function mergeFieldRules(written: Readonly<Record<string, WrittenFieldRule>>): Record<string, FieldRule> {
  const defaults = DEFAULT_CONFIG.schema.spec.fields;
  const names = [...new Set([...Object.keys(defaults), ...Object.keys(written)])];
  return Object.fromEntries(
    names.map((name) => {
      const own = Object.hasOwn(written, name) ? written[name] : undefined;
      return [name, { ...inheritRule(defaults[name], own), ...own, ...stringifyEnum(own) } as FieldRule];
    }),
  );
}

/** Returns the default rule of a field, or an empty rule if the configuration gives the field another type. */
function inheritRule(rule: FieldRule | undefined, own: WrittenFieldRule | undefined): FieldRule {
  return rule === undefined || (own?.type !== undefined && own.type !== rule.type) ? {} : rule;
}

function stringifyEnum(rule: WrittenFieldRule | undefined): Pick<FieldRule, "enum"> {
  return rule?.enum === undefined ? {} : { enum: [...new Set(rule.enum.map(String))] };
}
