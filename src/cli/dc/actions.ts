import { resolve } from "node:path";
import type { Cli } from "../command.ts";
import type { ExitStatus } from "../exit_status.ts";
import { databaseOf } from "./database.ts";
import { type Action, type DcWords, expectWords, usage } from "./words.ts";

const DEFAULT_PORT = 8081;
const HIGHEST_PORT = 65_535;

/** What each action does with its words; its own part is loaded when it is called. */
export const RUN: Readonly<Record<Action, (words: DcWords, cli: Cli) => Promise<ExitStatus | undefined>>> = {
  async serve(words, cli) {
    const { words: extra, host = "127.0.0.1", port = DEFAULT_PORT, db, tokens, insecure } = words;
    expectWords(extra, 0, 0);
    if (port > HIGHEST_PORT) throw usage(`Wrong value "${port}" for "--port": expected at most ${HIGHEST_PORT}`);
    const { serveDatacenter } = await import("./serve.ts");
    const database = databaseOf(db, cli.cwd);
    const tokenFile = tokens === undefined ? undefined : resolve(cli.cwd, tokens);
    const secret = words["webhook-secret-file"];
    const webhookSecretFile = secret === undefined ? undefined : resolve(cli.cwd, secret);
    const tls = tlsPaths(words, cli);
    return serveDatacenter({ host, port, database, tokens: tokenFile, webhookSecretFile, insecure, tls }, cli);
  },
  async import({ words, db, format, kind, errors, atomic, "dry-run": dryRun, json }, cli) {
    const files = expectWords(words, 1, Number.POSITIVE_INFINITY);
    const { demandKind } = await import("./kinds.ts");
    const { importFiles, openDatabaseTarget } = await import("./import/import_files.ts");
    const options = { files, format, errors, atomic, dryRun, json, cwd: cli.cwd };
    const store = await databaseOf(db, cli.cwd).open();
    try {
      const kindOf = kind === undefined ? undefined : demandKind(kind);
      return await importFiles(() => openDatabaseTarget(store, options), { ...options, kind: kindOf }, cli);
    } finally {
      await store.close();
    }
  },
  async export({ words, db, format = "jsonl", kind }, cli) {
    const [output] = expectWords(words, 0, 1);
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
  async token({ words, tokens, role }, cli) {
    if (tokens === undefined) throw usage('Missing "--tokens": expected the token file');
    const [verb, name] = expectWords(words, 1, 2);
    if ((verb === "list") !== (name === undefined)) throw usage("Expected create <name>, list or revoke <name>");
    if (role !== undefined && verb !== "create") throw usage('Flag "--role" belongs to create');
    const { createToken, listTokens, revokeToken } = await import("./tokens.ts");
    const file = resolve(cli.cwd, tokens);
    if (name === undefined) listTokens(file);
    else if (verb === "create") createToken(file, name, role ?? "reader", cli);
    else if (verb === "revoke") revokeToken(file, name);
    else throw usage(`Unknown word "${verb}": expected create, list or revoke`);
    return undefined;
  },
};

function tlsPaths(
  { "tls-key": key, "tls-cert": cert }: DcWords,
  { cwd }: Cli,
): { key: string; cert: string } | undefined {
  if (key === undefined && cert === undefined) return undefined;
  if (key === undefined || cert === undefined) throw usage('"--tls-key" and "--tls-cert" belong together');
  return { key: resolve(cwd, key), cert: resolve(cwd, cert) };
}
