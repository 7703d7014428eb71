import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { URL, URLSearchParams } from "node:url";
import { OperationError } from "#kernel/errors.ts";

const POSTGRES_URL = /^postgres(?:ql)?:\/\//i;
/** Parameters of the address that planner interprets; other parameters are session settings of the server. */
const OWN_PARAMETERS = ["host", "sslmode", "sslrootcert", "sslcert", "sslkey", "pooling"] as const;

type TlsSettings = false | "prefer" | "require" | ConnectionOptions;

/** Address of a PostgreSQL or CockroachDB server, and the settings of the connection. */
export interface PostgresAddress {
  /** Address without planner's own parameters. It may contain a password. */
  readonly url: string;
  /** Folder of a Unix socket, if `host` names a folder. */
  readonly host?: string;
  readonly tls: TlsSettings;
  /** `transaction` if a pooler may run each transaction in another session, so that a session keeps no state. */
  readonly pooling: "session" | "transaction";
  /** Address without password and parameters, for messages. */
  readonly displayAddress: string;
}

/** Whether the value of `--db` is the address of a server; any other value is the path of a file. */
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
    throw createAddressError(
      shown,
      "a URL postgres://user:password@host:port/database; special characters in it as %XX",
    );
  }
  const parameters = new URLSearchParams(query);
  const own = Object.fromEntries(OWN_PARAMETERS.map((name) => [name, parameters.get(name) ?? undefined]));
  for (const name of OWN_PARAMETERS) parameters.delete(name);
  const { host, pooling = "session" } = own;
  if (pooling !== "session" && pooling !== "transaction")
    throw createAddressError(shown, `no pooling "${pooling}", but session or transaction`);
  return {
    url: parameters.size === 0 ? base : `${base}?${parameters}`,
    ...(host !== undefined && { host }),
    tls: host?.startsWith("/") === true ? false : createTlsOptions(own, shown),
    pooling,
    displayAddress: shown,
  };
}

function createTlsOptions(own: Readonly<Partial<Record<string, string>>>, shown: string): TlsSettings {
  const { sslmode = "prefer", sslrootcert, sslcert, sslkey } = own;
  const files: ConnectionOptions = {
    ...(sslrootcert !== undefined && sslrootcert !== "system" && { ca: readPemFile("sslrootcert", sslrootcert) }),
    ...(sslcert !== undefined && { cert: readPemFile("sslcert", sslcert) }),
    ...(sslkey !== undefined && { key: readPemFile("sslkey", sslkey) }),
  };
  switch (sslmode) {
    case "disable":
      return false;
    case "allow":
    case "prefer":
      return "prefer";
    case "require":
      // As in libpq, a root certificate that the address names is verified.
      return sslrootcert === undefined ? { ...files, rejectUnauthorized: false } : acceptAnyCertificateName(files);
    case "verify-ca":
      return acceptAnyCertificateName(files);
    case "verify-full":
      return files;
    default:
      throw createAddressError(
        shown,
        `no sslmode "${sslmode}", but disable, prefer, require, verify-ca or verify-full`,
      );
  }
}

/** Returns TLS options that verify the certificate but not the name in it. */
function acceptAnyCertificateName(files: ConnectionOptions): ConnectionOptions {
  return { ...files, checkServerIdentity: () => undefined };
}

function readPemFile(parameter: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { message } = error as Error;
    throw new OperationError("invalid_argument", `Cannot read ${parameter} "${path}": ${message}`, { cause: error });
  }
}

function createAddressError(shown: string, expected: string): OperationError {
  return new OperationError("invalid_argument", `Cannot read the database address "${shown}": expected ${expected}`);
}
