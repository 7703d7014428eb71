import type { Args, Flags } from "../command.ts";
import { helpHint, UsageError } from "../usage_error.ts";

export const ACTIONS = [
  "serve",
  "import",
  "export",
  "sample",
  "render",
  "call",
  "audit",
  "migrate",
  "token",
  "mcp",
] as const;
export type Action = (typeof ACTIONS)[number];

export const DC_FLAGS = {
  db: {
    type: "string",
    value: "file",
    completes: "file",
    summary: "Database: a file (planner-dc.sqlite), or postgres://user@host/database",
  },
  host: { type: "string", value: "address", summary: "serve: address to listen on (127.0.0.1)" },
  port: { type: "integer", least: 0, summary: "serve: port to listen on (8081); 0 takes a free one" },
  tokens: {
    type: "string",
    value: "file",
    completes: "file",
    summary: "serve, token: file of tokens, kept as hashes",
  },
  "webhook-secret-file": {
    type: "string",
    value: "file",
    completes: "file",
    summary: "serve: secrets of change feeds, one per line, that open /audit/webhook",
  },
  jwks: {
    type: "string",
    value: "url",
    completes: "file",
    summary: "serve: public keys of JWTs, a URL or a file; needs --jwt-issuer and --jwt-audience",
  },
  "jwt-issuer": { type: "string", value: "text", summary: "serve: who must have issued a JWT (claim iss)" },
  "jwt-audience": { type: "string", value: "text", summary: "serve: whom a JWT must be for (claim aud)" },
  "jwt-roles-claim": { type: "string", value: "name", summary: "serve: claim that holds a JWT's roles (roles)" },
  expires: { type: "string", value: "when", summary: "token create: last day (2027-01-31), or how long (90d, 12h)" },
  insecure: { type: "boolean", summary: "serve: ask for no token, even beyond this machine" },
  "allowed-host": {
    type: "string",
    multiple: true,
    value: "name",
    summary: "serve: name or address of this server beside loopback ones; other Hosts are refused",
  },
  "allowed-origin": {
    type: "string",
    multiple: true,
    value: "origin",
    summary: "serve: another site whose pages may call, such as https://portal.example",
  },
  cleartext: { type: "boolean", summary: "serve: serve cleartext beside TLS, instead of refusing it" },
  "memory-budget": {
    type: "integer",
    value: "MiB",
    least: 16,
    summary: "serve: memory for all open requests together, beyond the inventory (512)",
  },
  "max-connections-per-address": {
    type: "integer",
    value: "count",
    least: 1,
    summary: "serve: connections of one network address (2500)",
  },
  "tls-key": { type: "string", value: "file", completes: "file", summary: "serve: private key in PEM, for TLS" },
  "tls-cert": { type: "string", value: "file", completes: "file", summary: "serve: its certificate chain in PEM" },
  role: {
    type: "enum",
    options: ["reader", "writer", "admin"],
    summary: "token create: what the token may do (reader)",
  },
  racks: { type: "integer", least: 1, summary: "sample: how many racks (40: the site AMS1)" },
  output: {
    type: "string",
    short: "o",
    value: "file",
    completes: "file",
    summary: "sample, render: file to write instead of standard output",
  },
  format: {
    type: "enum",
    options: ["jsonl", "csv", "json", "svg", "png", "html", "dot"],
    summary:
      "import, export: how the data is written (import: told by the file, export: jsonl); render: svg, png, html or dot " +
      "(told by the file)",
  },
  theme: { type: "enum", options: ["light", "dark", "print", "high_contrast"], summary: "render: colours (light)" },
  coloring: {
    type: "enum",
    options: ["role", "status", "health", "power", "thermal", "utilization", "none"],
    summary: "render: what colours mean (by the screen)",
  },
  view: {
    type: "enum",
    options: ["front", "rear", "both", "compact", "full"],
    summary: "render: which side, or how much (by the screen)",
  },
  width: { type: "integer", value: "pixels", least: 1, summary: "render: width of the picture, 64 to 8192" },
  kind: {
    type: "string",
    value: "kind",
    summary: "import, export: the kind of a CSV: rack, device, crac, cable, fabric_link",
  },
  errors: {
    type: "string",
    value: "file",
    completes: "file",
    summary: "import: write what could not be taken to this file, as JSON Lines",
  },
  atomic: { type: "boolean", summary: "import: take everything or nothing" },
  "dry-run": { type: "boolean", summary: "import: check everything, write nothing" },
  json: { type: "boolean", summary: "import: tell progress and result as JSON lines" },
  url: {
    type: "string",
    value: "address",
    summary: "call, import, mcp: a running server (call: http://127.0.0.1:8081)",
  },
  token: {
    type: "string",
    value: "token",
    summary: "call, import, mcp: token for the server; PLANNER_DC_TOKEN hides it",
  },
  timeout: { type: "integer", value: "seconds", least: 1, summary: "call: longest wait for the answer (30)" },
  list: { type: "boolean", summary: "call: list the RPCs" },
  config: { type: "string", value: "file", completes: "file", summary: "serve: settings in YAML or JSON" },
  "print-config": { type: "boolean", summary: "serve: show the settings and where each comes from, and end" },
} as const satisfies Flags;

export type DcFlag = keyof typeof DC_FLAGS;

/** What `serve` may be told: by a flag, and but for the last two by a variable or the settings file as well. */
export const SERVE_FLAGS = [
  "host",
  "port",
  "db",
  "tokens",
  "jwks",
  "jwt-issuer",
  "jwt-audience",
  "jwt-roles-claim",
  "webhook-secret-file",
  "insecure",
  "allowed-host",
  "allowed-origin",
  "cleartext",
  "memory-budget",
  "max-connections-per-address",
  "tls-key",
  "tls-cert",
  "config",
  "print-config",
] as const satisfies readonly DcFlag[];

/** The flags of each action; any other is refused instead of ignored. */
const FLAGS_OF: Readonly<Record<Action, readonly DcFlag[]>> = {
  serve: SERVE_FLAGS,
  import: ["db", "format", "kind", "errors", "atomic", "dry-run", "json", "url", "token"],
  export: ["db", "format", "kind"],
  sample: ["racks", "output", "db"],
  render: ["db", "output", "format", "theme", "coloring", "view", "width"],
  call: ["url", "token", "timeout", "list"],
  audit: ["db"],
  migrate: ["db"],
  token: ["tokens", "role", "expires"],
  mcp: ["db", "url", "token"],
};

/** What an action is called with. */
export type DcWords = Args<Record<never, never>, typeof DC_FLAGS> & { readonly words: readonly string[] };

const VERBS: Partial<Readonly<Record<Action, readonly string[]>>> = {
  render: ["rack", "floor", "power", "cable", "thermal", "fabric"],
  audit: ["verify", "history", "dead-letters", "replay", "drop"],
  migrate: ["status", "apply"],
  token: ["create", "list", "revoke"],
};

/** For completion: what may stand behind an action, where that is known. */
export async function wordsAfter([action, ...more]: readonly string[]): Promise<readonly string[] | undefined> {
  if (more.length > 0) return undefined;
  if (action === "call") return (await import("./call.ts")).RPC_NAMES;
  return VERBS[ACTIONS.find((one) => one === action) ?? "serve"];
}

export function refuseForeignFlags(action: Action, words: DcWords): void {
  for (const [name, value] of Object.entries(words)) {
    if (name === "words" || value === undefined || value === false) continue;
    if (Array.isArray(value) && value.length === 0) continue;
    if (!FLAGS_OF[action].some((one) => one === name)) throw usage(`Flag "--${name}" does not belong to ${action}`);
  }
}

/** @param expected what the words are to be, for who gives too few of them */
export function expectWords(
  words: readonly string[],
  least: number,
  most: number,
  expected = "more words",
): readonly string[] {
  if (words.length >= least && words.length <= most) return words;
  const extra = words[most];
  if (extra !== undefined) throw usage(`Unexpected argument "${extra}"`);
  throw usage(`Missing argument: expected ${expected}`);
}

export function usage(message: string): UsageError {
  return new UsageError(message, helpHint("dc"));
}
