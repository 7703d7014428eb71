import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { JwtOptions } from "#interfaces/http/jwt_principals.ts";
import type { Cli } from "../command.ts";
import type { ExitStatus } from "../exit_status.ts";
import { databaseOf } from "./database.ts";
import { type ServerAddress, serverUrl } from "./server_client.ts";
import { type Action, type DcWords, expectWords, usage } from "./words.ts";

const AUDIT = "verify, history, dead-letters, replay or drop";
const HIGHEST_PORT = 65_535;

/** What each action does with its words; its own part is loaded when it is called. */
export const RUN: Readonly<Record<Action, (words: DcWords, cli: Cli) => Promise<ExitStatus | undefined>>> = {
  async serve(given, cli) {
    expectWords(given.words, 0, 0);
    const { givenSettings, printSettings, serveSettings, wordsOf } = await import("./settings.ts");
    const settings = await serveSettings(given, cli);
    const words = wordsOf(given, settings);
    const { host = "", port = 0, db, tokens, insecure } = words;
    if (port > HIGHEST_PORT) throw usage(`Wrong value "${port}" for "--port": expected at most ${HIGHEST_PORT}`);
    if (given["print-config"]) return void printSettings(settings, cli.cwd);
    const { serveDatacenter } = await import("./serve.ts");
    const database = databaseOf(db, cli.cwd);
    const tokenFile = tokens === undefined ? undefined : resolve(cli.cwd, tokens);
    const secret = words["webhook-secret-file"];
    const webhookSecretFile = secret === undefined ? undefined : resolve(cli.cwd, secret);
    const tls = tlsPaths(words, cli);
    const jwt = jwtOptions(words, cli);
    const what = givenSettings(settings, cli.cwd);
    const access = { tokens: tokenFile, jwt, webhookSecretFile, insecure, tls, cleartext: words.cleartext };
    const allowed = { allowedHosts: words["allowed-host"] ?? [], allowedOrigins: words["allowed-origin"] ?? [] };
    const memoryMiB = words["memory-budget"] ?? 0;
    const maxPerAddress = words["max-connections-per-address"] ?? 0;
    const limits = { memoryMiB, maxPerAddress };
    return serveDatacenter({ host, port, database, ...access, ...allowed, ...limits, given: what }, cli);
  },
  async import({ words, db, format, kind, errors, atomic, "dry-run": dryRun, json, url, token }, cli) {
    const files = expectWords(words, 1, Number.POSITIVE_INFINITY, "files to import, or - for standard input");
    const { demandKind } = await import("./kinds.ts");
    const { importFiles, openDatabaseTarget } = await import("./import/import_files.ts");
    const kindOf = kind === undefined ? undefined : demandKind(kind);
    const options = { files, format: dataFormat(format), kind: kindOf, errors, atomic, dryRun, json, cwd: cli.cwd };
    if (url !== undefined) {
      if (db !== undefined) throw usage('"--url" and "--db" exclude each other');
      if (atomic || dryRun) throw usage('"--atomic" and "--dry-run" need a database: a server takes calls one by one');
      const { serverTarget } = await import("./import/server_target.ts");
      const address = serverAddress({ url, token, timeout: IMPORT_TIMEOUT_S }, cli.cwd);
      return importFiles(async () => serverTarget(address), options, cli);
    }
    if (token !== undefined) throw usage('"--token" needs "--url"');
    const store = await databaseOf(db, cli.cwd).open();
    try {
      return await importFiles(() => openDatabaseTarget(store, options), options, cli);
    } finally {
      await store.close();
    }
  },
  async export({ words, db, format: given = "jsonl", kind }, cli) {
    const [output] = expectWords(words, 0, 1);
    const format = dataFormat(given) ?? "jsonl";
    if (format === "json") throw usage('Wrong value "json" for "--format": expected jsonl or csv');
    const { demandKind } = await import("./kinds.ts");
    const { exportEstate } = await import("./export.ts");
    const path = output === undefined || output === "-" ? undefined : resolve(cli.cwd, output);
    if (format === "csv" && kind === undefined && path === undefined) {
      throw usage("One CSV holds one kind: expected --kind, or a folder for one file per kind");
    }
    const options = { format, kind: kind === undefined ? undefined : demandKind(kind), output: path };
    await exportEstate(databaseOf(db, cli.cwd), options, cli);
    return undefined;
  },
  async sample({ words, racks, output, db }, cli) {
    expectWords(words, 0, 0);
    if (output !== undefined && db !== undefined) throw usage('"--output" and "--db" exclude each other');
    const { loadSample, sampleSize, writeSample } = await import("./sample.ts");
    const size = sampleSize(racks);
    if (db !== undefined) return loadSample(size, databaseOf(db, cli.cwd), cli);
    await writeSample(size, output === undefined ? output : resolve(cli.cwd, output), cli);
    return undefined;
  },
  async render({ words, db, output, ...look }, cli) {
    const [screen = "", ref = ""] = expectWords(words, 2, 2, "a screen and a reference, such as rack rack:A01");
    const { renderPicture } = await import("./render.ts");
    const path = output === undefined || output === "-" ? undefined : resolve(cli.cwd, output);
    await renderPicture(databaseOf(db, cli.cwd), { ...look, screen, ref, output: path }, cli);
    return undefined;
  },
  async call({ words, url, token, timeout, list }, cli) {
    const { callRpc, listRpcs } = await import("./call.ts");
    if (list) {
      expectWords(words, 0, 0);
      return void listRpcs();
    }
    const [rpc = "", request = "{}"] = expectWords(words, 1, 2, "an RPC; `planner dc call --list` lists them");
    const { textOrInput } = await import("../text_input.ts");
    return callRpc(serverAddress({ url, token, timeout }, cli.cwd), rpc, await textOrInput(request));
  },
  async audit({ words, db }, cli) {
    const [verb = "", ...rest] = expectWords(words, 1, Number.POSITIVE_INFINITY, AUDIT);
    const { auditHistory, auditVerify, listDeadLetters, settleDeadLetters } = await import("./audit.ts");
    const database = databaseOf(db, cli.cwd);
    if (verb === "history") return auditHistory(database, namedValues(rest));
    if (verb === "replay" || verb === "drop") {
      return settleDeadLetters(database, expectWords(rest, 1, Number.POSITIVE_INFINITY, "all, or ids"), verb);
    }
    if (verb !== "verify" && verb !== "dead-letters") throw usage(`Unknown word "${verb}": expected ${AUDIT}`);
    expectWords(rest, 0, 0);
    return verb === "verify" ? auditVerify(database) : listDeadLetters(database, cli);
  },
  async migrate({ words, db }, cli) {
    const [verb = "status"] = expectWords(words, 0, 1);
    const { migrateApply, migrateStatus } = await import("./migrate.ts");
    const database = databaseOf(db, cli.cwd);
    if (verb === "status") return migrateStatus(database);
    if (verb !== "apply") throw usage(`Unknown word "${verb}": expected status or apply`);
    await migrateApply(database);
    return undefined;
  },
  async mcp({ words, db, url, token }, cli) {
    expectWords(words, 0, 0);
    if (url !== undefined && db !== undefined) throw usage('"--url" and "--db" exclude each other');
    if (token !== undefined && url === undefined) throw usage('Flag "--token" needs "--url"');
    const { serveDcMcp } = await import("./mcp.ts");
    if (url === undefined) return serveDcMcp({ database: databaseOf(db, cli.cwd) });
    return serveDcMcp({ server: serverAddress({ url, token, timeout: undefined }, cli.cwd) });
  },
  async token({ words, tokens, role, expires }, cli) {
    const [verb, name] = expectWords(words, 1, 2, "create <name>, list or revoke <name>");
    if (tokens === undefined) throw usage('Missing "--tokens": expected the token file');
    if ((verb === "list") !== (name === undefined)) throw usage("Expected create <name>, list or revoke <name>");
    if (role !== undefined && verb !== "create") throw usage('Flag "--role" belongs to create');
    if (expires !== undefined && verb !== "create") throw usage('Flag "--expires" belongs to create');
    const { createToken, listTokens, revokeToken } = await import("./tokens.ts");
    const file = resolve(cli.cwd, tokens);
    if (name === undefined) listTokens(file);
    else if (verb === "create") createToken(file, { name, role: role ?? "reader", expires }, cli);
    else if (verb === "revoke") revokeToken(file, name);
    else throw usage(`Unknown word "${verb}": expected create, list or revoke`);
    return undefined;
  },
};

/** Pictures have formats of their own. */
function dataFormat(format: DcWords["format"]): "jsonl" | "csv" | "json" | undefined {
  if (format === undefined || format === "jsonl" || format === "csv" || format === "json") return format;
  throw usage(`Wrong value "${format}" for "--format": expected jsonl, csv or json`);
}

interface AddressWords {
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly timeout: number | undefined;
}

const DEFAULT_URL = "http://127.0.0.1:8081";
const CALL_TIMEOUT_S = 30;
const IMPORT_TIMEOUT_S = 300;

/** The server to call. A token on the command line is seen by everybody who lists processes, so it may stand elsewhere. */
function serverAddress({ url, token, timeout = CALL_TIMEOUT_S }: AddressWords, cwd: string): ServerAddress {
  const { PLANNER_DC_URL, PLANNER_DC_TOKEN, PLANNER_DC_TOKEN_FILE: file } = process.env;
  const fromFile = file === undefined ? undefined : readToken(resolve(cwd, file), file);
  return {
    url: serverUrl(url ?? PLANNER_DC_URL ?? DEFAULT_URL),
    token: token ?? PLANNER_DC_TOKEN ?? fromFile,
    timeoutMs: timeout * 1000,
  };
}

function readToken(path: string, shown: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw usage(`Cannot read "${shown}" of PLANNER_DC_TOKEN_FILE: ${(error as Error).message}`);
  }
}

/** `entity=device:X` and the like; a name that is not known is refused by who reads them. */
function namedValues(words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf("=");
      if (at <= 0) throw usage(`Wrong filter "${word}": expected name=value, such as entity=device:SRV-1`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}

function jwtOptions(words: DcWords, { cwd }: Cli): JwtOptions | undefined {
  const { jwks, "jwt-issuer": issuer, "jwt-audience": audience, "jwt-roles-claim": rolesClaim } = words;
  if (jwks === undefined) {
    if ((issuer ?? audience ?? rolesClaim) === undefined) return undefined;
    throw usage('"--jwt-issuer", "--jwt-audience" and "--jwt-roles-claim" need "--jwks"');
  }
  // Without both, a token that the same issuer gave for another service would open this one.
  if (issuer === undefined || audience === undefined) throw usage('"--jwks" needs "--jwt-issuer" and "--jwt-audience"');
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(jwks);
  if (isUrl && !URL.canParse(jwks)) throw usage(`Wrong value "${jwks}" for "--jwks": expected a URL or a file`);
  if (isUrl && !/^https?:/i.test(jwks)) throw usage(`Wrong value "${jwks}" for "--jwks": expected https:// or a file`);
  return { jwks: isUrl ? jwks : resolve(cwd, jwks), issuer, audience, rolesClaim: rolesClaim ?? "roles" };
}

function tlsPaths(
  { "tls-key": key, "tls-cert": cert }: DcWords,
  { cwd }: Cli,
): { key: string; cert: string } | undefined {
  if (key === undefined && cert === undefined) return undefined;
  if (key === undefined || cert === undefined) throw usage('"--tls-key" and "--tls-cert" belong together');
  return { key: resolve(cwd, key), cert: resolve(cwd, cert) };
}
