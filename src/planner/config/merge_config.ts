import type { FieldRule, PlannerConfig, ProviderSettings } from "./config.ts";
import { DEFAULT_CONFIG } from "./default_config.ts";

/** A field rule as configured. Values of `enum` may have any scalar type and are compared as text. */
export interface WrittenFieldRule extends Omit<FieldRule, "enum"> {
  readonly enum?: readonly (string | number | boolean)[];
}

/** Agent settings as written in the configuration; values in `env` may be numbers and booleans. */
export interface WrittenProvider extends Omit<ProviderSettings, "env"> {
  readonly env?: Readonly<Record<string, string | number | boolean>>;
}

type WrittenSections = {
  readonly [Name in Exclude<keyof PlannerConfig, "providers" | "schema" | "lint">]?: Partial<PlannerConfig[Name]>;
};

/** The frontmatter of `.planner/config.md` after validation. */
export interface WrittenConfig extends WrittenSections {
  readonly providers?: Readonly<Record<string, WrittenProvider>>;
  readonly schema?: {
    readonly spec?: {
      readonly required?: readonly string[];
      readonly fields?: Readonly<Record<string, WrittenFieldRule>>;
    };
  };
  readonly lint?: Partial<Omit<PlannerConfig["lint"], "thresholds">> & {
    readonly thresholds?: Partial<PlannerConfig["lint"]["thresholds"]>;
  };
}

/**
 * Merges the written settings into the defaults. Single values and lists replace the default. `schema.spec.fields` is
 * merged field by field and key by key, so that setting `fields.status.enum` keeps the field's type.
 */
export function mergeConfig(written: WrittenConfig): PlannerConfig {
  const { schema, lint } = DEFAULT_CONFIG;
  return {
    ...mergeSections(written),
    providers: mergeProviders(written.providers ?? {}),
    schema: {
      spec: {
        required: [...new Set(written.schema?.spec?.required ?? schema.spec.required)],
        fields: mergeFieldRules(written.schema?.spec?.fields ?? {}),
      },
    },
    lint: {
      thresholds: { ...lint.thresholds, ...written.lint?.thresholds },
      disable: [...new Set(written.lint?.disable ?? lint.disable)],
      severity: { ...lint.severity, ...written.lint?.severity },
    },
  };
}

function mergeSections(written: WrittenConfig): PlannerConfig {
  const sections = Object.entries(DEFAULT_CONFIG) as [keyof PlannerConfig, object][];
  const merged = sections.map(([name, defaults]) => [name, { ...defaults, ...written[name] }]);
  return Object.fromEntries(merged) as unknown as PlannerConfig;
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
