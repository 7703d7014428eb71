import { type AdmissionRules, isLoopbackHost, parseHost } from "#interfaces/http/admission.ts";
import { WebhookSecrets } from "#interfaces/http/followed_file.ts";
import { createPrincipalFinder, type JwtOptions, JwtVerifier } from "#interfaces/http/jwt_principals.ts";
import type { Metrics } from "#interfaces/http/metrics.ts";
import { TokenFile } from "#interfaces/http/token_file.ts";
import { OperationError } from "#kernel/errors.ts";
import { printError, sanitizeLine } from "../../output/print.ts";
import { UsageError } from "../../usage_error.ts";

/** Writes one line of the server's log to standard error: time, subject and message. */
export function logLine(subject: string, message: string): void {
  printError(`${new Date().toISOString()} ${subject}: ${sanitizeLine(message)}\n`);
}

/** Writes a log line about a defect, with its stack. */
export function logDefect(subject: string, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  printError(`${new Date().toISOString()} ${subject}: ${text}\n`);
}

export interface AccessOptions {
  readonly host: string;
  /** Path of the token file, or undefined. */
  readonly tokens: string | undefined;
  /** Options for verifying JWTs; undefined to reject them. */
  readonly jwt?: JwtOptions | undefined;
  /** Path of the file of secrets for change feeds; undefined disables the webhook. */
  readonly webhookSecretFile?: string | undefined;
  readonly insecure: boolean;
  /** Names and addresses of this server in addition to loopback ones. */
  readonly allowedHosts: readonly string[];
  /** Other origins whose pages may call the server. */
  readonly allowedOrigins: readonly string[];
}

/** Opens the files and keys that identify callers, and reloads them when they change. */
export async function openAccess({ host, tokens: tokenFile, jwt, webhookSecretFile: secretFile }: AccessOptions) {
  const createSubjectLogger = (subject: string) => (message: string) => logLine(subject, message);
  const tokens = tokenFile === undefined ? undefined : await TokenFile.open(tokenFile, createSubjectLogger("tokens"));
  const jwts = jwt === undefined ? undefined : await JwtVerifier.open(jwt, createSubjectLogger("jwks"));
  const webhookSecret =
    secretFile === undefined ? undefined : await WebhookSecrets.open(secretFile, createSubjectLogger("webhook"));
  const asks = tokens !== undefined || jwts !== undefined;
  const findSubscriber = tokens && ((secret: string) => tokens.findSubscriber(secret));
  const webhook = { webhookSecret, isWebhookOpen: !asks && isLoopbackHost(host) };
  return { asks, findPrincipal: createPrincipalFinder(tokens, jwts), findSubscriber, webhook };
}

/** Wraps access checks to count rejected credentials. */
export function countRefusedAccess({ findPrincipal, findSubscriber }: Access, metrics: Metrics) {
  return {
    findPrincipal: countRefusals(findPrincipal, metrics),
    findSubscriber: findSubscriber && countRefusals(findSubscriber, metrics),
  };
}

type Access = Pick<Awaited<ReturnType<typeof openAccess>>, "findPrincipal" | "findSubscriber">;

function countRefusals<Credential, Found>(
  find: (credential: Credential) => Promise<Found>,
  metrics: Metrics,
): (credential: Credential) => Promise<Found> {
  return async (credential) => {
    try {
      return await find(credential);
    } catch (error) {
      if (error instanceof OperationError && error.kind === "unauthenticated") metrics.countRefusedCredentials();
      throw error;
    }
  };
}

/** @throws UsageError for a server that other machines can reach without a token, unless `--insecure` is set */
export function requireProtectedAccess({ host, tokens, jwt, insecure }: AccessOptions): void {
  const asks = tokens !== undefined || jwt !== undefined;
  if (isLoopbackHost(host) || insecure || asks) return;
  const hint = "`planner dc token create <name> --tokens <file>` makes one; --insecure turns authentication off";
  throw new UsageError(`Listening on "${host}", which others can reach, needs "--tokens <file>" or "--jwks"`, hint);
}

/** Addresses that mean every interface and are no host names. */
const WILDCARD_ADDRESSES: readonly string[] = ["0.0.0.0", "::", "::0", ""];

/** Returns the rules for accepting requests. @throws UsageError for an invalid host or origin. */
export function createAdmissionRules(options: AccessOptions): AdmissionRules {
  const { host, tokens, jwt, allowedHosts, allowedOrigins } = options;
  const isOpen = tokens === undefined && jwt === undefined;
  const named = allowedHosts.map(requireValidHost);
  return {
    isOpen,
    // A server on all interfaces may be called by the host name that the operator gave it.
    allowedHosts: isOpen && !WILDCARD_ADDRESSES.includes(host) ? [...named, host.toLowerCase()] : named,
    allowedOrigins: allowedOrigins.map(requireValidOrigin),
    probesFromAnywhere: !isLoopbackHost(host),
  };
}

function requireValidHost(text: string): string {
  const isAddress = text.includes(":") && !text.startsWith("[");
  const host = parseHost(isAddress ? `[${text}]` : text);
  if (host !== undefined && !/\]?:\d+$/.test(isAddress ? "" : text)) return host;
  throw new UsageError(
    `Wrong value "${text}" for "--allowed-host": expected a name or an address without a port`,
    null,
  );
}

function requireValidOrigin(text: string): string {
  if (/^https?:\/\/[^/?#@\s]+$/i.test(text)) return text.toLowerCase();
  const expected = "expected a scheme, a host and a port if it is not the usual one, such as https://portal.example";
  throw new UsageError(`Wrong value "${text}" for "--allowed-origin": ${expected}`, null);
}

/** Returns a warning for the operator if access to the server is not protected, otherwise undefined. */
export function formatAccessWarning(options: AccessOptions & { readonly tls: unknown }): string | undefined {
  const { host, insecure, tokens, jwt, tls } = options;
  if (tokens === undefined && jwt === undefined) {
    const who = insecure && !isLoopbackHost(host) ? "everyone who can reach this port" : "any local process";
    return `Authentication is off: ${who} can read and write`;
  }
  if (tls !== undefined || isLoopbackHost(host)) return undefined;
  return "Tokens are sent in cleartext: anyone on the network path can read and use them; set --tls-key and --tls-cert";
}
