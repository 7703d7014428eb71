import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { URL, URLSearchParams } from "node:url";
import { OperationError } from "#kernel/errors.ts";

const POSTGRES_URL = /^postgres(?:ql)?:\/\//i;
/** Parameters of the address that are ours to read; the others are settings of the server's session. */
const OWN_PARAMETERS = ["host", "sslmode", "sslrootcert", "sslcert", "sslkey", "pooling"] as const;

type Tls = false | "prefer" | "require" | ConnectionOptions;

/** Address of a PostgreSQL or CockroachDB server, and the settings of the connection. */
export interface PostgresAddress {
  /** The address without planner's own parameters. It may contain a password. */
  readonly url: string;
  /** A socket's folder, when `host` names one. */
  readonly host?: string;
  readonly tls: Tls;
  /** Whether a pooler in between shares sessions by transaction, so that nothing may be kept in one. */
  readonly pooling: "session" | "transaction";
  /** The address as people may see it: without password and parameters. */
  readonly shown: string;
}

/** Whether `--db` names a server; everything else is the path of a file. */
export function isPostgresUrl(database: string): boolean {
  return POSTGRES_URL.test(database);
}

/**
 * Parses `postgres://user:password@host:port/database?sslmode=…` by the rules of libpq: without `sslmode`, TLS is used
 * if the server offers it; `verify-full` requires a certificate that names the host. Source: PostgreSQL documentation,
 * libpq, Connection URIs and SSL support.
 * @throws OperationError invalid_argument for an address that cannot be parsed, without the password in the message
 */
export function parsePostgresUrl(address: string): PostgresAddress {
  const [base = "", query = ""] = address.split(/\?(.*)/s);
  const [, login = "", hosts = "", database = ""] = /^[a-z]+:\/\/(?:(.*)@)?([^/@]*)(?:\/(.*))?$/is.exec(base) ?? [];
  const user = login.split(":")[0] ?? "";
  const shown = `postgres://${user === "" ? "" : `${user}@`}${hosts}${database === "" ? "" : `/${database}`}`;
  // An address with several hosts is not a valid URL, so only the first host is parsed.
  const [first = ""] = hosts.split(",");
  if (!URL.canParse(base.replace(hosts, first === "" ? "localhost" : first))) {
    throw refuseAddress(shown, "a URL postgres://user:password@host:port/database; special characters in it as %XX");
  }
  const parameters = new URLSearchParams(query);
  const own = Object.fromEntries(OWN_PARAMETERS.map((name) => [name, parameters.get(name) ?? undefined]));
  for (const name of OWN_PARAMETERS) parameters.delete(name);
  const { host, pooling = "session" } = own;
  if (pooling !== "session" && pooling !== "transaction")
    throw refuseAddress(shown, `no pooling "${pooling}", but session or transaction`);
  return {
    url: parameters.size === 0 ? base : `${base}?${parameters}`,
    ...(host !== undefined && { host }),
    tls: host?.startsWith("/") === true ? false : tlsOf(own, shown),
    pooling,
    shown,
  };
}

function tlsOf(own: Readonly<Partial<Record<string, string>>>, shown: string): Tls {
  const { sslmode = "prefer", sslrootcert, sslcert, sslkey } = own;
  const files: ConnectionOptions = {
    ...(sslrootcert !== undefined && sslrootcert !== "system" && { ca: readPem("sslrootcert", sslrootcert) }),
    ...(sslcert !== undefined && { cert: readPem("sslcert", sslcert) }),
    ...(sslkey !== undefined && { key: readPem("sslkey", sslkey) }),
  };
  switch (sslmode) {
    case "disable":
      return false;
    case "allow":
    case "prefer":
      return "prefer";
    case "require":
      // As in libpq, a given root certificate is verified.
      return sslrootcert === undefined ? { ...files, rejectUnauthorized: false } : anyName(files);
    case "verify-ca":
      return anyName(files);
    case "verify-full":
      return files;
    default:
      throw refuseAddress(shown, `no sslmode "${sslmode}", but disable, prefer, require, verify-ca or verify-full`);
  }
}

/** The certificate must be good, whatever host it names. */
function anyName(files: ConnectionOptions): ConnectionOptions {
  return { ...files, checkServerIdentity: () => undefined };
}

function readPem(parameter: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { message } = error as Error;
    throw new OperationError("invalid_argument", `Cannot read ${parameter} "${path}": ${message}`, { cause: error });
  }
}

function refuseAddress(shown: string, expected: string): OperationError {
  return new OperationError("invalid_argument", `Cannot read the database address "${shown}": expected ${expected}`);
}
