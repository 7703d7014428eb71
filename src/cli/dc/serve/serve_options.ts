import { resolve } from "node:path";
import type { JwtOptions } from "#interfaces/http/jwt_principals.ts";
import type { Cli } from "../../declaration.ts";
import { checkArgumentRules } from "../../strict_command.ts";
import { UsageError } from "../../usage_error.ts";
import type { CheckpointOptions } from "../audit/checkpoint_writer.ts";
import { type DatabaseLocation, parseDatabaseLocation } from "../database.ts";
import type { ServeOptions } from "./serve.ts";
import { SERVE_FLAGS, type ServeArgs } from "./serve_flags.ts";
import { formatGivenSettings, type Setting } from "./settings.ts";

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
