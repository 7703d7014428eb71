import { type ArgValues, booleanFlag, enumFlag, type Flags, fileFlag, integerFlag, textFlag } from "../../args.ts";
import { CREATE_FLAG, DATABASE_FLAG } from "../asked_flags.ts";

/** Flags of `planner dc serve`; all but the last four are also environment variables and settings file keys. */
export const SERVE_FLAGS = {
  host: textFlag("address", "Address to listen on (127.0.0.1)"),
  port: integerFlag(0, "Port to listen on (8081); 0 picks a free one", { maximum: 65_535 }),
  db: DATABASE_FLAG,
  "db-wait": integerFlag(0, "Longest wait for an unreachable database (60)", { valueHint: "seconds" }),
  tokens: fileFlag("File of tokens, stored as hashes"),
  // Without both, a token that the same issuer made for another service would be accepted.
  jwks: textFlag("url", "Public keys of JWTs: a URL or a file", {
    completes: "file",
    needs: ["--jwt-issuer", "--jwt-audience"],
  }),
  "jwt-issuer": textFlag("text", "Required issuer of a JWT (iss)", { needs: ["--jwks"] }),
  "jwt-audience": textFlag("text", "Required audience of a JWT (aud)", { needs: ["--jwks"] }),
  "jwt-roles-claim": textFlag("name", "Claim with a JWT's roles (roles)", { needs: ["--jwks"] }),
  "jwt-default-role": enumFlag(["reader", "none"], "Role of a JWT that has none (reader)", {
    valueHint: "role",
    needs: ["--jwks"],
  }),
  "webhook-secret-file": fileFlag("Secrets of change feeds, one a line"),
  notify: fileFlag("Receivers of notices about changed risks"),
  insecure: booleanFlag("Require no token, even beyond this machine", { excludes: ["--tokens", "--jwks"] }),
  "allowed-host": textFlag("name", "A host name of this server", { multiple: true }),
  "allowed-origin": textFlag("origin", "A site whose pages may call", { multiple: true }),
  cleartext: booleanFlag("Serve cleartext beside TLS"),
  readings: fileFlag("Queries of Prometheus for readings"),
  "memory-budget": integerFlag(16, "Memory for all open requests (512)", { valueHint: "MiB" }),
  "max-connections-per-address": integerFlag(1, "Per network address (2500)", { valueHint: "count" }),
  "tls-key": fileFlag("Private key in PEM, for TLS", { needs: ["--tls-cert"] }),
  "tls-cert": fileFlag("Its certificate chain in PEM", { needs: ["--tls-key"] }),
  "checkpoint-dir": textFlag("dir", "Directory for signed checkpoints", { completes: "file" }),
  "checkpoint-key": fileFlag("Private key that signs them"),
  create: CREATE_FLAG,
  "accept-broken-log": booleanFlag("Take changes although the log is broken"),
  config: fileFlag("Settings in YAML or JSON"),
  "print-config": booleanFlag("Print the settings and their origins, then exit"),
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
export type ServeArgs = ArgValues<typeof SERVE_FLAGS>;
