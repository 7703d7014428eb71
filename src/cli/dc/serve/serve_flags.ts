import type { Args, Flags } from "../../command.ts";
import { CREATE_FLAG, DATABASE_FLAG } from "../shared_flags.ts";

/** Flags of `planner dc serve`; all but the last four are also environment variables and settings file keys. */
export const SERVE_FLAGS = {
  host: { type: "string", value: "address", summary: "Address to listen on (127.0.0.1)" },
  port: { type: "integer", least: 0, most: 65_535, summary: "Port to listen on (8081); 0 picks a free one" },
  db: DATABASE_FLAG,
  "db-wait": { type: "integer", value: "seconds", least: 0, summary: "Longest wait for an unreachable database (60)" },
  tokens: { type: "string", value: "file", completes: "file", summary: "File of tokens, stored as hashes" },
  // Without both, a token that the same issuer made for another service would be accepted.
  jwks: {
    type: "string",
    value: "url",
    completes: "file",
    summary: "Public keys of JWTs: a URL or a file",
    needs: ["--jwt-issuer", "--jwt-audience"],
  },
  "jwt-issuer": { type: "string", value: "text", summary: "Required issuer of a JWT (iss)", needs: ["--jwks"] },
  "jwt-audience": { type: "string", value: "text", summary: "Required audience of a JWT (aud)", needs: ["--jwks"] },
  "jwt-roles-claim": { type: "string", value: "name", summary: "Claim with a JWT's roles (roles)", needs: ["--jwks"] },
  "jwt-default-role": {
    type: "enum",
    options: ["reader", "none"],
    value: "role",
    summary: "Role of a JWT that has none (reader)",
    needs: ["--jwks"],
  },
  "webhook-secret-file": {
    type: "string",
    value: "file",
    completes: "file",
    summary: "Secrets of change feeds, one a line",
  },
  notify: { type: "string", value: "file", completes: "file", summary: "Receivers of notices about changed risks" },
  insecure: {
    type: "boolean",
    summary: "Require no token, even beyond this machine",
    excludes: ["--tokens", "--jwks"],
  },
  "allowed-host": { type: "string", multiple: true, value: "name", summary: "A host name of this server" },
  "allowed-origin": { type: "string", multiple: true, value: "origin", summary: "A site whose pages may call" },
  cleartext: { type: "boolean", summary: "Serve cleartext beside TLS" },
  readings: { type: "string", value: "file", completes: "file", summary: "Queries of Prometheus for readings" },
  "memory-budget": { type: "integer", value: "MiB", least: 16, summary: "Memory for all open requests (512)" },
  "max-connections-per-address": { type: "integer", value: "count", least: 1, summary: "Per network address (2500)" },
  "tls-key": {
    type: "string",
    value: "file",
    completes: "file",
    summary: "Private key in PEM, for TLS",
    needs: ["--tls-cert"],
  },
  "tls-cert": {
    type: "string",
    value: "file",
    completes: "file",
    summary: "Its certificate chain in PEM",
    needs: ["--tls-key"],
  },
  "checkpoint-dir": { type: "string", value: "dir", completes: "file", summary: "Directory for signed checkpoints" },
  "checkpoint-key": { type: "string", value: "file", completes: "file", summary: "Private key that signs them" },
  create: CREATE_FLAG,
  "accept-broken-log": { type: "boolean", summary: "Take changes although the log is broken" },
  config: { type: "string", value: "file", completes: "file", summary: "Settings in YAML or JSON" },
  "print-config": { type: "boolean", summary: "Print the settings and their origins, then exit" },
} as const satisfies Flags;

/** Flags of `serve` that its help shows on one line. */
export const JOINED_SERVE_FLAGS = [
  { flags: ["host", "port"], summary: "Where to listen (127.0.0.1, 8081); 0: a free port" },
  { flags: ["db", "db-wait"], summary: "File or postgres:// URL; wait (60 s)" },
  { flags: ["jwt-issuer", "jwt-audience"], summary: "Required iss and aud of JWTs" },
  { flags: ["jwt-roles-claim", "jwt-default-role"], summary: "Claim with a JWT's roles (roles); role without" },
  { flags: ["readings", "notify"], summary: "Queries; receivers of notices" },
  { flags: ["tls-key", "tls-cert"], summary: "Key and certificates in PEM" },
  { flags: ["checkpoint-dir", "checkpoint-key"], summary: "Signed checkpoints" },
  { flags: ["config", "print-config"], summary: "Read settings; print settings and exit" },
] as const;

/** Values of the flags of `serve`. */
export type ServeArgs = Args<Record<never, never>, typeof SERVE_FLAGS>;
