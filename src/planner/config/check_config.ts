import { KindGuard, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { findNearest } from "#kernel/nearest.ts";
import { parseDocument } from "../spec/document.ts";
import { createFrontmatterLocator, type FieldPath, type TextLocation } from "../spec/full_frontmatter.ts";
import {
  CONFIG_FILE,
  DEFAULT_CONFIG,
  type FieldRule,
  type PlannerConfig,
  PROVIDER_NAMES,
  type ProviderSettings,
} from "./config.ts";
import { CONFIG_SCHEMA } from "./config_schema.ts";
import { findGlobFault } from "./glob.ts";

/**
 * Parses the text of `.planner/config.md`.
 * @throws OperationError `failed_precondition` with one line for each error, naming line and column
 */
export function parseConfig(text: string): {
  readonly config: PlannerConfig;
  readonly warnings: readonly ConfigProblem[];
} {
  const { config, errors, warnings } = checkConfig(text);
  if (config !== null) return { config, warnings };
  const lines = errors.map(({ line, column, message }) => `${CONFIG_FILE}:${line}:${column}: ${message}`);
  throw new OperationError("failed_precondition", `Cannot read the configuration:\n${lines.join("\n")}`);
}

/** An error or warning about `.planner/config.md`. */
export interface ConfigProblem extends TextLocation {
  /** Names the setting, its value and the expected value. */
  readonly message: string;
}

/** Result of a check. `config` is null if there are errors, because a partial configuration could not be trusted. */
export type CheckedConfig = { readonly warnings: readonly ConfigProblem[] } & (
  | { readonly config: PlannerConfig; readonly errors: readonly [] }
  | { readonly config: null; readonly errors: readonly ConfigProblem[] }
);

/**
 * Checks the text of `.planner/config.md`; never throws. A wrong type is an error and an unknown key a warning. A key
 * without a value counts as absent. The text after the frontmatter is not checked.
 */
export function checkConfig(text: string): CheckedConfig {
  const document = parseDocument(text);
  if (!document.ok) return { config: null, errors: [document.problem], warnings: [] };
  const written = removeNullValues(document.frontmatter) as Record<string, unknown>;
  const findLocation = createFrontmatterLocator(text);
  const addLocation = ({ path, of, message }: ConfigFinding): ConfigProblem => ({
    ...(findLocation(path, of) ?? { line: 1, column: 1 }),
    message,
  });
  const warnings = [...findUnknownKeys(CONFIG_SCHEMA, written, []), ...findUnusedItems(written)].map(addLocation);
  const wrong = findWrongValues(written);
  const errors = (wrong.length > 0 ? wrong : [...findUnknownProviders(written), ...findFaultyGlobs(written)]).map(
    addLocation,
  );
  if (errors.length > 0) return { config: null, errors, warnings };
  return { config: mergeConfig(removeUnknownKeys(CONFIG_SCHEMA, written) as WrittenConfig), errors: [], warnings };
}

interface ConfigFinding {
  readonly path: FieldPath;
  /** Whether the problem is about the key or its value. */
  readonly of: "key" | "value";
  readonly message: string;
}

/** Removes keys without a value, which YAML reads as null, so that they count as absent. */
function removeNullValues(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([key, inner]) => [key, removeNullValues(inner)]));
}

/** Removes unknown keys, which have already caused warnings, so that no setting without effect is shown. */
function removeUnknownKeys(schema: TSchema, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const next = findKeySchema(schema, key);
      return next === undefined ? [] : [[key, removeUnknownKeys(next, inner)]];
    }),
  );
}

function findWrongValues(written: Record<string, unknown>): ConfigFinding[] {
  const found = new Map<string, ConfigFinding>();
  for (const { path: pointer, schema, value } of Value.Errors(CONFIG_SCHEMA, written)) {
    // The first problem of a value is about its type, so later ones are skipped.
    if (found.has(pointer)) continue;
    const path = parsePointer(pointer);
    const expected = `expected ${describeExpected(schema)}, got ${formatShortValue(value)}`;
    const near =
      KindGuard.IsUnion(schema) && typeof value === "string" ? findNearest(value, listLiterals(schema)) : undefined;
    const hint = near === undefined ? "" : `. Did you mean "${near}"?`;
    found.set(pointer, {
      path,
      of: "value",
      message: `Invalid setting "${formatSettingPath(path)}": ${expected}${hint}`,
    });
  }
  return [...found.values()];
}

function parsePointer(pointer: string): (string | number)[] {
  const steps = pointer.slice(1).split("/");
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step.replaceAll("~1", "/").replaceAll("~0", "~")));
}

function formatSettingPath(path: FieldPath): string {
  return path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`),
    "",
  );
}

/** Describes the value that a schema expects, for messages: `a whole number of at least 10`. */
export function describeExpected(schema: TSchema): string {
  if (schema.description !== undefined) return schema.description;
  if (KindGuard.IsUnion(schema)) {
    const options = listLiterals(schema);
    return options.length > 0 ? `one of ${options.join(", ")}` : "a text, a number or a boolean";
  }
  if (KindGuard.IsInteger(schema)) {
    const { minimum, maximum } = schema;
    return maximum === undefined
      ? `a whole number of at least ${minimum}`
      : `a whole number from ${minimum} to ${maximum}`;
  }
  if (KindGuard.IsNumber(schema)) return `a number of at least ${schema.minimum}`;
  if (KindGuard.IsBoolean(schema)) return "true or false";
  if (KindGuard.IsString(schema)) return "a text that is not empty";
  if (KindGuard.IsArray(schema)) return schema.minItems === undefined ? "a list" : "a list that is not empty";
  return "keys with values below it";
}

function listLiterals(schema: TSchema): string[] {
  const options: TSchema[] = KindGuard.IsUnion(schema) ? schema.anyOf : [];
  return options.filter(KindGuard.IsLiteral).map(({ const: word }) => String(word));
}

function formatShortValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function findUnknownKeys(schema: TSchema, value: unknown, path: readonly string[]): ConfigFinding[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = [...path, key];
    const next = findKeySchema(schema, key);
    if (next !== undefined) return findUnknownKeys(next, inner, here);
    const known = KindGuard.IsObject(schema) ? Object.keys(schema.properties) : [];
    const near = findNearest(key, known);
    const hint = near === undefined ? `: expected one of ${known.join(", ")}` : `. Did you mean "${near}"?`;
    return [{ path: here, of: "key", message: `Unknown setting "${formatSettingPath(here)}"${hint}` }];
  });
}

/** Returns the schema of the value of `key`, or undefined for an unknown key. */
function findKeySchema(schema: TSchema, key: string): TSchema | undefined {
  if (KindGuard.IsRecord(schema)) return Object.values(schema.patternProperties)[0];
  if (!KindGuard.IsObject(schema)) return schema;
  return Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
}

function findUnusedItems(written: WrittenConfig): ConfigFinding[] {
  const fields = Object.entries(isJsonObject(written.schema?.spec?.fields) ? written.schema.spec.fields : {});
  return fields
    .filter(([, rule]) => rule?.items !== undefined && rule.type !== undefined && rule.type !== "array")
    .map(([name, { type }]) => ({
      path: ["schema", "spec", "fields", name, "items"],
      of: "key",
      message: `Setting "schema.spec.fields.${name}.items" has no effect: expected type array beside it, got ${type}`,
    }));
}

/** Finds patterns of `verify.protect` that match no file, so that they would protect nothing. */
function findFaultyGlobs({ verify }: WrittenConfig): ConfigFinding[] {
  return (verify?.protect ?? []).flatMap((glob, index): readonly ConfigFinding[] => {
    const fault = findGlobFault(glob);
    const message = `Invalid setting "verify.protect[${index}]": expected a pattern such as tests/**, got ${formatShortValue(glob)}: ${fault}`;
    return fault === null ? [] : [{ path: ["verify", "protect", index], of: "value", message }];
  });
}

/** Finds agents that are neither in the provider table nor configured with a command. */
function findUnknownProviders({ defaults, providers = {} }: WrittenConfig): ConfigFinding[] {
  const table: readonly string[] = PROVIDER_NAMES;
  const added = Object.keys(providers).filter((name) => !table.includes(name));
  const lost = added
    .filter((name) => providers[name]?.command === undefined)
    .map((name): ConfigFinding => {
      const near = findNearest(name, table);
      const hint = near === undefined ? "" : `. Did you mean "${near}"?`;
      const expected = `expected a "command" below it, or one of ${table.join(", ")}`;
      return { path: ["providers", name], of: "key", message: `Unknown agent "${name}": ${expected}${hint}` };
    });
  const chosen = defaults?.provider;
  const known = [...table, ...added];
  if (chosen === undefined || known.includes(chosen)) return lost;
  const near = findNearest(chosen, known);
  const hint = near === undefined ? "" : `. Did you mean "${near}"?`;
  const message = `Invalid setting "defaults.provider": expected one of ${known.join(", ")}, got "${chosen}"${hint}`;
  return [{ path: ["defaults", "provider"], of: "value", message }, ...lost];
}

/** A field rule as configured. Values of `enum` may have any scalar type and are compared as text. */
interface WrittenFieldRule extends Omit<FieldRule, "enum"> {
  readonly enum?: readonly (string | number | boolean)[];
}

/** Agent settings as written in the configuration; values in `env` may be numbers and booleans. */
interface WrittenProvider extends Omit<ProviderSettings, "env"> {
  readonly env?: Readonly<Record<string, string | number | boolean>>;
}

type WrittenSections = {
  readonly [Name in Exclude<keyof PlannerConfig, "providers" | "schema" | "lint">]?: Partial<PlannerConfig[Name]>;
};

/** The frontmatter of `.planner/config.md` after validation. */
interface WrittenConfig extends WrittenSections {
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
function mergeConfig(written: WrittenConfig): PlannerConfig {
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
