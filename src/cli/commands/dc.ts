import { resolve } from "node:path";
import { type Cli, defineCommand } from "../command.ts";
import { databasePath } from "../dc/database.ts";
import type { ExitStatus } from "../exit_status.ts";
import { helpHint, UsageError } from "../usage_error.ts";

const ACTIONS = ["serve", "import", "export", "token"] as const;
type Action = (typeof ACTIONS)[number];

interface Words {
  readonly words: readonly string[];
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly db: string | undefined;
  readonly tokens: string | undefined;
  readonly role: "reader" | "writer" | "admin" | undefined;
  readonly insecure: boolean;
  readonly "tls-key": string | undefined;
  readonly "tls-cert": string | undefined;
}

/** The flags of each action; any other is refused instead of ignored. */
const FLAGS: Readonly<Record<Action, readonly (keyof Words)[]>> = {
  serve: ["host", "port", "db", "tokens", "insecure", "tls-key", "tls-cert"],
  import: ["db"],
  export: ["db"],
  token: ["tokens", "role"],
};

const DEFAULT_PORT = 8081;
const HIGHEST_PORT = 65_535;

export const command = defineCommand({
  summary: "Serve a datacenter's racks, devices, cooling and cables, and bring its data in and out",
  details:
    "serve answers gRPC, gRPC-Web, Connect JSON, health, metrics and the change history on one port, from a database in " +
    "one file that is created when it is not there. The first SIGTERM or Ctrl-C lets running calls end, the second one " +
    "ends at once. import and export use JSON Lines. token create|list|revoke keeps the tokens of a token file. " +
    "docs/datacenter.md tells the whole.",
  positionals: {
    action: { summary: "What to do", required: true, options: ACTIONS },
    words: {
      summary: "import: a file, or - for standard input; export: a file; token: create <name>, list or revoke <name>",
      required: false,
      completes: "file",
      repeats: true,
    },
  },
  flags: {
    db: { type: "string", value: "file", completes: "file", summary: "Database (planner-dc.sqlite)" },
    host: { type: "string", value: "address", summary: "serve: address to listen on (127.0.0.1)" },
    port: { type: "integer", least: 0, summary: "serve: port to listen on (8081); 0 takes a free one" },
    tokens: {
      type: "string",
      value: "file",
      completes: "file",
      summary: "serve, token: file of tokens, kept as hashes",
    },
    insecure: { type: "boolean", summary: "serve: ask for no token, even beyond this machine" },
    "tls-key": { type: "string", value: "file", completes: "file", summary: "serve: private key in PEM, for TLS" },
    "tls-cert": { type: "string", value: "file", completes: "file", summary: "serve: its certificate chain in PEM" },
    role: {
      type: "enum",
      options: ["reader", "writer", "admin"],
      summary: "token create: what the token may do (reader)",
    },
  },
  examples: [
    { line: "planner dc serve", shows: "Serve ./planner-dc.sqlite on 127.0.0.1 port 8081" },
    { line: "planner dc token create anna --role writer --tokens tokens.json", shows: "Make and print a token" },
    { line: "planner dc serve --host 0.0.0.0 --tokens tokens.json", shows: "Serve others, by token" },
    { line: "planner dc export backup.jsonl", shows: "Write everything as JSON Lines" },
  ],
  run({ action, ...words }, cli) {
    refuseForeignFlags(action, words);
    return RUN[action](words, cli);
  },
});

const RUN: Readonly<Record<Action, (words: Words, cli: Cli) => Promise<ExitStatus | undefined>>> = {
  async serve(words, cli) {
    const { words: extra, host = "127.0.0.1", port = DEFAULT_PORT, db, tokens, insecure } = words;
    expectWords(extra, 0, 0);
    if (port > HIGHEST_PORT) throw usage(`Wrong value "${port}" for "--port": expected at most ${HIGHEST_PORT}`);
    const { serveDatacenter } = await import("../dc/serve.ts");
    const database = resolve(cli.cwd, databasePath(db));
    const tokenFile = tokens === undefined ? undefined : resolve(cli.cwd, tokens);
    return serveDatacenter({ host, port, database, tokens: tokenFile, insecure, tls: tlsPaths(words, cli) }, cli);
  },
  async import({ words, db }, cli) {
    const [file = ""] = expectWords(words, 1, 1);
    const { importFile } = await import("../dc/transfer.ts");
    return importFile(resolve(cli.cwd, databasePath(db)), file === "-" ? file : resolve(cli.cwd, file), cli);
  },
  async export({ words, db }, cli) {
    const [file] = expectWords(words, 0, 1);
    const { exportFile } = await import("../dc/transfer.ts");
    await exportFile(resolve(cli.cwd, databasePath(db)), file === undefined ? file : resolve(cli.cwd, file), cli);
    return undefined;
  },
  async token({ words, tokens, role }, cli) {
    if (tokens === undefined) throw usage('Missing "--tokens": expected the token file');
    const [verb, name] = expectWords(words, 1, 2);
    if ((verb === "list") !== (name === undefined)) throw usage("Expected create <name>, list or revoke <name>");
    if (role !== undefined && verb !== "create") throw usage('Flag "--role" belongs to create');
    const { createToken, listTokens, revokeToken } = await import("../dc/tokens.ts");
    const file = resolve(cli.cwd, tokens);
    if (name === undefined) listTokens(file);
    else if (verb === "create") createToken(file, name, role ?? "reader", cli);
    else if (verb === "revoke") revokeToken(file, name);
    else throw usage(`Unknown word "${verb}": expected create, list or revoke`);
    return undefined;
  },
};

function refuseForeignFlags(action: Action, words: Words): void {
  for (const [name, value] of Object.entries(words)) {
    if (name === "words" || value === undefined || value === false) continue;
    if (!FLAGS[action].some((one) => one === name)) throw usage(`Flag "--${name}" does not belong to ${action}`);
  }
}

function expectWords(words: readonly string[], least: number, most: number): readonly string[] {
  if (words.length >= least && words.length <= most) return words;
  const extra = words[most];
  if (extra !== undefined) throw usage(`Unexpected argument "${extra}"`);
  throw usage("Missing argument <words>");
}

function tlsPaths(
  { "tls-key": key, "tls-cert": cert }: Words,
  { cwd }: Cli,
): { key: string; cert: string } | undefined {
  if (key === undefined && cert === undefined) return undefined;
  if (key === undefined || cert === undefined) throw usage('"--tls-key" and "--tls-cert" belong together');
  return { key: resolve(cwd, key), cert: resolve(cwd, cert) };
}

function usage(message: string): UsageError {
  return new UsageError(message, helpHint("dc"));
}
