import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { JwtOptions } from "#interfaces/http/jwt_principals.ts";
import type { Flag } from "../../args.ts";
import type { Cli } from "../../declaration.ts";
import { print } from "../../output/print.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";
import { checkArgumentRules, describeExpectedValue, isFlagValue, parseFlagText } from "../../strict_command.ts";
import { formatSuggestion, UsageError } from "../../usage_error.ts";
import type { CheckpointOptions } from "../audit/checkpoints.ts";
import { type DatabaseLocation, parseDatabaseLocation } from "../database.ts";
import type { ServeOptions } from "./serve.ts";
import { SERVE_FLAGS, type ServeArgs } from "./serve_flags.ts";

/** Converts settings to the server's options. @throws UsageError for settings that contradict each other. */
export function buildServeOptions(given: ServeArgs, settings: readonly Setting[], cli: Cli): ServeOptions {
  // The server does not depend on the origin of a setting.
  const args: ServeArgs = { ...given, ...Object.fromEntries(settings.map(({ name, value }) => [name, value])) };
  const { host = "", port = 0, db, tokens, insecure } = args;
  checkArgumentRules(SERVE_FLAGS, args);
  const secret = args["webhook-secret-file"];
  const database = parseDatabaseLocation(db, cli.cwd, given);
  return {
    host,
    port,
    database,
    databaseWaitS: args["db-wait"] ?? 0,
    tokens: tokens === undefined ? undefined : resolve(cli.cwd, tokens),
    jwt: buildJwtOptions(args, cli),
    notify: args.notify === undefined ? undefined : resolve(cli.cwd, args.notify),
    webhookSecretFile: secret === undefined ? undefined : resolve(cli.cwd, secret),
    insecure,
    tls: buildTlsPaths(args, cli),
    cleartext: args.cleartext,
    acceptsBrokenLog: given["accept-broken-log"],
    allowedHosts: args["allowed-host"] ?? [],
    allowedOrigins: args["allowed-origin"] ?? [],
    memoryMiB: args["memory-budget"] ?? 0,
    maxPerAddress: args["max-connections-per-address"] ?? 0,
    readings: args.readings === undefined ? undefined : resolve(cli.cwd, args.readings),
    checkpoints: buildCheckpointOptions(args, database, cli),
    given: formatGivenSettings(settings, cli.cwd),
  };
}

/** Chooses the signing key: for a database file the key beside it, for a database server the configured key. */
function buildCheckpointOptions(
  args: ServeArgs,
  { file }: DatabaseLocation,
  { cwd }: Cli,
): CheckpointOptions | undefined {
  const { "checkpoint-dir": directory, "checkpoint-key": given } = args;
  const key = given === undefined ? file && `${file}.checkpoint-key` : resolve(cwd, given);
  if (key !== undefined) return { key, directory: directory === undefined ? undefined : resolve(cwd, directory) };
  if (directory !== undefined)
    throw new UsageError('"--checkpoint-dir" needs "--checkpoint-key" for a database on a server');
  return undefined;
}

function buildJwtOptions(args: ServeArgs, { cwd }: Cli): JwtOptions | undefined {
  const { jwks, "jwt-issuer": issuer, "jwt-audience": audience, "jwt-roles-claim": rolesClaim } = args;
  if (jwks === undefined || issuer === undefined || audience === undefined) return undefined;
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(jwks);
  if (isUrl && !URL.canParse(jwks))
    throw new UsageError(`Wrong value "${jwks}" for "--jwks": expected a URL or a file`);
  if (isUrl && !/^https?:/i.test(jwks))
    throw new UsageError(`Wrong value "${jwks}" for "--jwks": expected https:// or a file`);
  return {
    jwks: isUrl ? jwks : resolve(cwd, jwks),
    issuer,
    audience,
    rolesClaim: rolesClaim ?? "roles",
    defaultRole: args["jwt-default-role"] === "none" ? undefined : "reader",
  };
}

function buildTlsPaths(
  { "tls-key": key, "tls-cert": cert }: ServeArgs,
  { cwd }: Cli,
): { key: string; cert: string } | undefined {
  return key === undefined || cert === undefined ? undefined : { key: resolve(cwd, key), cert: resolve(cwd, cert) };
}

/** Origin of a setting's value; the first origin in this order that has a value is used. */
type SettingOrigin = "flag" | "environment" | "file" | "default";

interface Setting {
  readonly name: SettingName;
  readonly value: unknown;
  readonly origin: SettingOrigin;
  /** Name of the variable or file that contains the value. */
  readonly from: string;
}

/** Flags that are no settings: `--config` names their file, `--print-config` prints them, others apply to one start. */
const OTHER_FLAGS = ["config", "print-config", "create", "accept-broken-log"] as const;
type SettingName = Exclude<keyof typeof SERVE_FLAGS, (typeof OTHER_FLAGS)[number]>;

/** Names of the settings of `serve`: each is a flag, a variable and a key of the settings file. */
export const SETTING_NAMES: readonly SettingName[] = Object.keys(SERVE_FLAGS).filter(
  (name): name is SettingName => !OTHER_FLAGS.some((other) => other === name),
);

const DEFAULT_VALUES: Partial<Readonly<Record<SettingName, unknown>>> = {
  db: "planner-dc.sqlite",
  "db-wait": 60,
  host: "127.0.0.1",
  port: 8081,
  insecure: false,
  cleartext: false,
  "memory-budget": 512,
  "max-connections-per-address": 2500,
};

const VARIABLE_PREFIX = "PLANNER_DC_";
/** Planner's variables that are not settings of `serve`. */
const OTHER_VARIABLES = ["PLANNER_DC_CONFIG", "PLANNER_DC_URL", "PLANNER_DC_TOKEN", "PLANNER_DC_TOKEN_FILE"];

/** Returns the environment variable of a setting: `PLANNER_DC_TLS_KEY` for `--tls-key`. */
export function deriveVariableName(name: string): string {
  return VARIABLE_PREFIX + deriveFileKey(name).toUpperCase();
}

/** Returns the key of a setting in the file: `tls_key` for `--tls-key`. */
export function deriveFileKey(name: string): string {
  return name.replaceAll("-", "_");
}

/**
 * Returns the settings of `serve`: flags override variables, variables the file, and the file the defaults. A variable
 * whose name ends in `_FILE` is the path of a file that contains the value, for secrets.
 * @throws UsageError for an unknown key or a value of the wrong type, naming its source
 */
export async function readServeSettings(
  args: Partial<ServeArgs>,
  { cwd, warn }: Pick<StderrLogger, "warn"> & { readonly cwd: string },
  env: NodeJS.ProcessEnv = process.env,
): Promise<readonly Setting[]> {
  const path = args.config ?? env["PLANNER_DC_CONFIG"];
  const file = path === undefined ? new Map<string, unknown>() : await readSettingsFile(resolve(cwd, path), path);
  warnOfUnknownVariables(env, warn);
  return SETTING_NAMES.map((name): Setting => {
    const flag: unknown = args[name];
    if (flag !== undefined && flag !== false && !(Array.isArray(flag) && flag.length === 0)) {
      return { name, value: flag, origin: "flag", from: `--${name}` };
    }
    const variable = readEnvironmentSetting(name, env, cwd);
    if (variable !== undefined) return { name, ...variable, origin: "environment" };
    const key = deriveFileKey(name);
    if (file.has(key)) {
      const value = requireFlagValue(SERVE_FLAGS[name], file.get(key), `"${key}" in ${path}`);
      return { name, value, origin: "file", from: `${path}` };
    }
    return { name, value: DEFAULT_VALUES[name], origin: "default", from: "" };
  });
}

/** Prints the settings in the form of a settings file, with their origins. Secrets are hidden. */
export function printSettings(settings: readonly Setting[], cwd: string): void {
  for (const { name, value, origin, from } of settings) {
    const shown = hideSecret(value, name, cwd);
    const place = from === "" || origin === "flag" ? origin : `${origin}: ${from}`;
    if (shown === undefined) print(`# ${deriveFileKey(name)}: (none)\n`);
    else print(`${deriveFileKey(name)}: ${JSON.stringify(shown)} # ${place}\n`);
  }
}

/** Formats the settings that differ from the defaults and their origins, on one line. Secrets are hidden. */
function formatGivenSettings(settings: readonly Setting[], cwd: string): string {
  return settings
    .filter(({ origin }) => origin !== "default")
    .map(({ name, value, from }) => `${deriveFileKey(name)} ${JSON.stringify(hideSecret(value, name, cwd))} (${from})`)
    .join(", ");
}

/** Returns an address without its password, and any other value unchanged. */
function hideSecret(value: unknown, name: SettingName, cwd: string): unknown {
  if (typeof value !== "string" || !value.includes("://")) return value;
  if (name === "db") return parseDatabaseLocation(value, cwd).displayName;
  return value.replace(/(?<=:\/\/)[^/@]*@/, "");
}

function readEnvironmentSetting(
  name: SettingName,
  env: NodeJS.ProcessEnv,
  cwd: string,
): { readonly value: unknown; readonly from: string } | undefined {
  const variable = deriveVariableName(name);
  const [direct, file] = [env[variable], env[`${variable}_FILE`]];
  if (direct !== undefined && file !== undefined && !isSettingVariable(`${variable}_FILE`)) {
    throw createSettingError(`${variable} and ${variable}_FILE exclude each other`);
  }
  if (direct !== undefined) return { value: parseSettingText(SERVE_FLAGS[name], direct, variable), from: variable };
  if (file === undefined || isSettingVariable(`${variable}_FILE`)) return undefined;
  const text = readText(resolve(cwd, file), file).replace(/\r?\n$/, "");
  return { value: parseSettingText(SERVE_FLAGS[name], text, `${variable}_FILE`), from: `${variable}_FILE` };
}

function isSettingVariable(variable: string): boolean {
  return SETTING_NAMES.some((name) => deriveVariableName(name) === variable);
}

/** Converts a text to the flag's type; list items are separated by commas. */
function parseSettingText(flag: Flag, text: string, where: string): unknown {
  const isList = "multiple" in flag && flag.multiple === true;
  const values = (isList ? text.split(",").map((one) => one.trim()) : [text]).map((one) => parseFlagText(flag, one));
  return requireFlagValue(flag, isList ? values : values[0], where);
}

function requireFlagValue(flag: Flag, value: unknown, where: string): unknown {
  const isList = "multiple" in flag && flag.multiple === true;
  if (isList ? Array.isArray(value) && value.every((one) => isFlagValue(flag, one)) : isFlagValue(flag, value))
    return value;
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  const expected = flag.type === "string" ? "a text" : describeExpectedValue(flag);
  throw createSettingError(
    `Wrong value "${shown}" for ${where}: expected ${isList ? `a list, each ${expected}` : expected}`,
  );
}

/** Reads a settings file in YAML or JSON, which is also YAML. */
async function readSettingsFile(file: string, shown: string): Promise<ReadonlyMap<string, unknown>> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(readText(file, shown), { prettyErrors: true, uniqueKeys: true });
  const [error] = document.errors;
  if (error !== undefined) throw createSettingError(`Cannot read ${shown}: ${error.message.split("\n")[0]}`);
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  if (value === null || value === undefined) return new Map();
  if (typeof value !== "object" || Array.isArray(value))
    throw createSettingError(`Cannot read ${shown}: expected keys and values`);
  const keys = SETTING_NAMES.map(deriveFileKey);
  for (const key of Object.keys(value)) {
    if (keys.includes(key)) continue;
    throw new UsageError(
      `Unknown key "${key}" in ${shown}`,
      formatSuggestion(key, keys) || `Expected ${keys.join(", ")}`,
    );
  }
  return new Map(Object.entries(value));
}

/** Warns of unknown variables with planner's prefix, which may also come from programs such as Kubernetes. */
function warnOfUnknownVariables(env: NodeJS.ProcessEnv, warn: (message: string) => void): void {
  const known = [
    ...SETTING_NAMES.map(deriveVariableName),
    ...SETTING_NAMES.map((name) => `${deriveVariableName(name)}_FILE`),
    ...OTHER_VARIABLES,
  ];
  for (const name of Object.keys(env)) {
    if (!name.startsWith(VARIABLE_PREFIX) || known.includes(name)) continue;
    const near = formatSuggestion(name, known);
    if (near !== "") warn(`Unknown variable ${name}: ${near}`);
  }
}

function readText(file: string, shown: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw createSettingError(`Cannot read "${shown}": ${(error as Error).message}`);
  }
}

function createSettingError(message: string): UsageError {
  return new UsageError(message, null);
}
