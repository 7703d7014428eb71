import type { Args, Flags } from "../../command.ts";
import { CREATE_FLAG, DATABASE_FLAG } from "../shared_flags.ts";

/** What `planner dc serve` takes. All but the last three are also a variable and a key of the settings file. */
export const SERVE_FLAGS = {
  host: { type: "string", value: "address", summary: "Address to listen on (127.0.0.1)" },
  port: { type: "integer", least: 0, summary: "Port to listen on (8081); 0 picks a free one" },
  db: DATABASE_FLAG,
  "db-wait": {
    type: "integer",
    value: "seconds",
    least: 0,
    summary: "Longest wait at the start for a database server that cannot be reached (60)",
  },
  tokens: { type: "string", value: "file", completes: "file", summary: "File of tokens, stored as hashes" },
  jwks: {
    type: "string",
    value: "url",
    completes: "file",
    summary: "Public keys of JWTs, a URL or a file; needs --jwt-issuer and --jwt-audience",
  },
  "jwt-issuer": { type: "string", value: "text", summary: "Required issuer of a JWT (iss)" },
  "jwt-audience": { type: "string", value: "text", summary: "Required audience of a JWT (aud)" },
  "jwt-roles-claim": { type: "string", value: "name", summary: "Claim that holds a JWT's roles (roles)" },
  "webhook-secret-file": {
    type: "string",
    value: "file",
    completes: "file",
    summary: "Secrets of change feeds for /audit/webhook, one per line",
  },
  insecure: { type: "boolean", summary: "Require no token, even beyond this machine" },
  "allowed-host": {
    type: "string",
    multiple: true,
    value: "name",
    summary: "Name or address of this server beside loopback ones; other Hosts are refused",
  },
  "allowed-origin": {
    type: "string",
    multiple: true,
    value: "origin",
    summary: "Another site whose pages may call, such as https://portal.example",
  },
  cleartext: { type: "boolean", summary: "Serve cleartext beside TLS too" },
  "memory-budget": {
    type: "integer",
    value: "MiB",
    least: 16,
    summary: "Memory for all open requests together, beyond the inventory (512)",
  },
  "max-connections-per-address": {
    type: "integer",
    value: "count",
    least: 1,
    summary: "Connections of one network address (2500)",
  },
  "tls-key": { type: "string", value: "file", completes: "file", summary: "Private key in PEM, for TLS" },
  "tls-cert": { type: "string", value: "file", completes: "file", summary: "Its certificate chain in PEM" },
  "checkpoint-dir": {
    type: "string",
    value: "dir",
    completes: "file",
    summary: "Directory for signed checkpoints",
  },
  "checkpoint-key": {
    type: "string",
    value: "file",
    completes: "file",
    summary: "Private key that signs them",
  },
  create: CREATE_FLAG,
  config: { type: "string", value: "file", completes: "file", summary: "Settings in YAML or JSON" },
  "print-config": { type: "boolean", summary: "Print the settings and their origins, then exit" },
} as const satisfies Flags;

/** The values of `serve`'s flags. */
export type ServeArgs = Args<Record<never, never>, typeof SERVE_FLAGS>;
