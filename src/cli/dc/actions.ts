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
  async import({ words, db }, cli) {
    const [file = ""] = expectWords(words, 1, 1);
    const { importFile } = await import("./transfer.ts");
    return importFile(databaseOf(db, cli.cwd), file === "-" ? file : resolve(cli.cwd, file), cli);
  },
  async export({ words, db }, cli) {
    const [file] = expectWords(words, 0, 1);
    const { exportFile } = await import("./transfer.ts");
    await exportFile(databaseOf(db, cli.cwd), file === undefined ? file : resolve(cli.cwd, file), cli);
    return undefined;
  },
  async sample({ words, racks, output }, cli) {
    expectWords(words, 0, 0);
    const { sampleSize, writeSample } = await import("./sample.ts");
    await writeSample(sampleSize(racks), output === undefined ? output : resolve(cli.cwd, output), cli);
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
