import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Flag } from "../../command.ts";
import { expectedValue, fitsFlag, readFlagText } from "../../flag_value.ts";
import { print } from "../../output/print.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";
import { suggestion, UsageError } from "../../usage_error.ts";
import { databaseOf } from "../database.ts";
import { SERVE_FLAGS, type ServeArgs } from "./serve_flags.ts";

/** Where a setting's value comes from; the first of these that has one wins. */
export type Origin = "flag" | "environment" | "file" | "default";

export interface Setting {
  readonly name: SettingName;
  readonly value: unknown;
  readonly origin: Origin;
  /** The variable or the file that it was read from. */
  readonly from: string;
}

/** `--config` names the file of settings, `--print-config` prints them, the others are for one start: no settings. */
const OTHER_FLAGS = ["config", "print-config", "create", "accept-broken-log"] as const;
type SettingName = Exclude<keyof typeof SERVE_FLAGS, (typeof OTHER_FLAGS)[number]>;

/** Every setting of `serve`: a flag, a variable and a key of the settings file each. */
export const SETTINGS: readonly SettingName[] = Object.keys(SERVE_FLAGS).filter(
  (name): name is SettingName => !OTHER_FLAGS.some((other) => other === name),
);

const DEFAULTS: Partial<Readonly<Record<SettingName, unknown>>> = {
  db: "planner-dc.sqlite",
  "db-wait": 60,
  host: "127.0.0.1",
  port: 8081,
  insecure: false,
  cleartext: false,
  "memory-budget": 512,
  "max-connections-per-address": 2500,
};

const PREFIX = "PLANNER_DC_";
/** Variables of ours that are no settings of `serve`. */
const OTHERS = ["PLANNER_DC_CONFIG", "PLANNER_DC_URL", "PLANNER_DC_TOKEN", "PLANNER_DC_TOKEN_FILE"];

/** The environment variable of a setting: `PLANNER_DC_TLS_KEY` for `--tls-key`. */
export function variableOf(name: string): string {
  return PREFIX + keyOf(name).toUpperCase();
}

/** The key of a setting in the file: `tls_key` for `--tls-key`. */
export function keyOf(name: string): string {
  return name.replaceAll("-", "_");
}

/**
 * Returns the settings of `serve`: flags override variables, variables the file, and the file the defaults. A variable
 * whose name ends in `_FILE` is the path of a file that holds the value, for secrets.
 * @throws UsageError for an unknown key or a value of the wrong type, naming its source
 */
export async function serveSettings(
  args: Partial<ServeArgs>,
  { cwd, warn }: Pick<StderrLogger, "warn"> & { readonly cwd: string },
  env: NodeJS.ProcessEnv = process.env,
): Promise<readonly Setting[]> {
  const path = args.config ?? env["PLANNER_DC_CONFIG"];
  const file = path === undefined ? new Map<string, unknown>() : await settingsFile(resolve(cwd, path), path);
  warnOfUnknown(env, warn);
  return SETTINGS.map((name): Setting => {
    const flag: unknown = args[name];
    if (flag !== undefined && flag !== false && !(Array.isArray(flag) && flag.length === 0)) {
      return { name, value: flag, origin: "flag", from: `--${name}` };
    }
    const variable = fromEnvironment(name, env, cwd);
    if (variable !== undefined) return { name, ...variable, origin: "environment" };
    const key = keyOf(name);
    if (file.has(key)) {
      const value = checkValue(SERVE_FLAGS[name], file.get(key), `"${key}" in ${path}`);
      return { name, value, origin: "file", from: `${path}` };
    }
    return { name, value: DEFAULTS[name], origin: "default", from: "" };
  });
}

/** Returns the settings as values of flags, so that the server does not depend on their source. */
export function argsOf(args: ServeArgs, settings: readonly Setting[]): ServeArgs {
  return { ...args, ...Object.fromEntries(settings.map(({ name, value }) => [name, value])) } as ServeArgs;
}

/** Prints the settings as a file that says the same, with where each comes from. Secrets stay unseen. */
export function printSettings(settings: readonly Setting[], cwd: string): void {
  for (const { name, value, origin, from } of settings) {
    const shown = shownValue(value, name, cwd);
    const place = from === "" || origin === "flag" ? origin : `${origin}: ${from}`;
    if (shown === undefined) print(`# ${keyOf(name)}: (none)\n`);
    else print(`${keyOf(name)}: ${JSON.stringify(shown)} # ${place}\n`);
  }
}

/** Settings that differ from the defaults and their origins, in one line. Secrets are hidden. */
export function givenSettings(settings: readonly Setting[], cwd: string): string {
  return settings
    .filter(({ origin }) => origin !== "default")
    .map(({ name, value, from }) => `${keyOf(name)} ${JSON.stringify(shownValue(value, name, cwd))} (${from})`)
    .join(", ");
}

/** A path as it was given; an address without its password. */
function shownValue(value: unknown, name: SettingName, cwd: string): unknown {
  if (typeof value !== "string" || !value.includes("://")) return value;
  if (name === "db") return databaseOf(value, cwd).shown;
  return value.replace(/(?<=:\/\/)[^/@]*@/, "");
}

function fromEnvironment(
  name: SettingName,
  env: NodeJS.ProcessEnv,
  cwd: string,
): { readonly value: unknown; readonly from: string } | undefined {
  const variable = variableOf(name);
  const [direct, file] = [env[variable], env[`${variable}_FILE`]];
  if (direct !== undefined && file !== undefined && !isSetting(`${variable}_FILE`)) {
    throw wrongSetting(`${variable} and ${variable}_FILE exclude each other`);
  }
  if (direct !== undefined) return { value: readTyped(SERVE_FLAGS[name], direct, variable), from: variable };
  if (file === undefined || isSetting(`${variable}_FILE`)) return undefined;
  const text = readText(resolve(cwd, file), file).replace(/\r?\n$/, "");
  return { value: readTyped(SERVE_FLAGS[name], text, `${variable}_FILE`), from: `${variable}_FILE` };
}

function isSetting(variable: string): boolean {
  return SETTINGS.some((name) => variableOf(name) === variable);
}

/** A text as the flag's type has it; a list is separated by commas. */
function readTyped(flag: Flag, text: string, where: string): unknown {
  const isList = "multiple" in flag && flag.multiple === true;
  const values = (isList ? text.split(",").map((one) => one.trim()) : [text]).map((one) => readFlagText(flag, one));
  return checkValue(flag, isList ? values : values[0], where);
}

function checkValue(flag: Flag, value: unknown, where: string): unknown {
  const isList = "multiple" in flag && flag.multiple === true;
  if (isList ? Array.isArray(value) && value.every((one) => fitsFlag(flag, one)) : fitsFlag(flag, value)) return value;
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  const expected = flag.type === "string" ? "a text" : expectedValue(flag);
  throw wrongSetting(`Wrong value "${shown}" for ${where}: expected ${isList ? `a list, each ${expected}` : expected}`);
}

/** Reads YAML or JSON, which is YAML, too. */
async function settingsFile(file: string, shown: string): Promise<ReadonlyMap<string, unknown>> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(readText(file, shown), { prettyErrors: true, uniqueKeys: true });
  const [error] = document.errors;
  if (error !== undefined) throw wrongSetting(`Cannot read ${shown}: ${error.message.split("\n")[0]}`);
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  if (value === null || value === undefined) return new Map();
  if (typeof value !== "object" || Array.isArray(value))
    throw wrongSetting(`Cannot read ${shown}: expected keys and values`);
  const keys = SETTINGS.map(keyOf);
  for (const key of Object.keys(value)) {
    if (keys.includes(key)) continue;
    throw new UsageError(`Unknown key "${key}" in ${shown}`, suggestion(key, keys) || `Expected ${keys.join(", ")}`);
  }
  return new Map(Object.entries(value));
}

/** Others may set variables of this prefix (Kubernetes does, for a service of that name), so they only make us wonder. */
function warnOfUnknown(env: NodeJS.ProcessEnv, warn: (message: string) => void): void {
  const known = [...SETTINGS.map(variableOf), ...SETTINGS.map((name) => `${variableOf(name)}_FILE`), ...OTHERS];
  for (const name of Object.keys(env)) {
    if (!name.startsWith(PREFIX) || known.includes(name)) continue;
    const near = suggestion(name, known);
    if (near !== "") warn(`Unknown variable ${name}: ${near}`);
  }
}

function readText(file: string, shown: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw wrongSetting(`Cannot read "${shown}": ${(error as Error).message}`);
  }
}

function wrongSetting(message: string): UsageError {
  return new UsageError(message, null);
}
