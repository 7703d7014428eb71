import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import { type Principal, ROLES, type Role } from "#dc/context.ts";
import { refuse } from "#dc/model/refusal.ts";
import { InvalidTokenRefusal } from "#dc/operations/messages/status.ts";
import { createInvalidArgumentError, OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { OutageReporter } from "#kernel/notices.ts";
import type { FindPrincipal } from "../connect/request.ts";
import { FollowedFile } from "./followed_file.ts";
import type { TokenFile } from "./token_file.ts";

export interface JwtOptions {
  /** Location of the issuer's public keys: a URL, or the path of a file. */
  readonly jwks: string;
  readonly issuer: string;
  readonly audience: string;
  /** Claim that contains the roles, as a list or as words separated by spaces; dots address nested objects. */
  readonly rolesClaim: string;
  /** Role of a token without a known role; undefined refuses such a token. */
  readonly defaultRole: Role | undefined;
}

/**
 * Accepted algorithms: only signatures by private keys. With `none` any caller could make a token, and with HMAC
 * anyone who has the public key. Source: RFC 8725, 3.1.
 */
const ACCEPTED_ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");
/** Tolerated clock difference, in seconds. Our choice: as in common libraries and issuers. */
const CLOCK_SKEW_S = 30;
/** Timeout for loading keys, in milliseconds. */
const FETCH_TIMEOUT_MS = 5000;
/** Maximum age of loaded keys, in milliseconds. */
const MAX_KEYS_AGE_MS = 10 * 60 * 1000;
/** Minimum interval between requests for an unknown key, in milliseconds. */
const KEY_REQUEST_INTERVAL_MS = 30_000;
/** Maximum size of a key set, in bytes. Our choice: issuers publish a handful of keys. */
const MAX_KEY_SET_BYTES = 256 * 1024;
/** Maximum length of a token that is verified, in characters. Our choice: headers are limited to little more. */
const MAX_TOKEN_CHARS = 16_384;

/** Characters that print in one line: no control or format characters, no separators except the blank. */
const SUBJECT_PATTERN = /^[^\p{C}\p{Zl}\p{Zp}]{1,256}$/u;
const EXPECTED_SUBJECT = "a text of 1 to 256 printable characters";

const NO_KEYS_MESSAGE = "The keys that verify tokens are not available";

const JWT_HEADER_PATTERN = /^Bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*)$/i;

/** Returns the token of the header if it has the form of a JWT; other tokens belong to the token file. */
export function extractJwt(authorization: string | null): string | undefined {
  return authorization === null ? undefined : JWT_HEADER_PATTERN.exec(authorization)?.[1];
}

/** Finds the principal of a JWT. Caches keys, fetched when first needed. Source: docs/decisions.md#d-07; RFC 8725. */
export class JwtVerifier {
  readonly #options: JwtOptions;
  readonly #keys: JWTVerifyGetKey;
  readonly #report: (message: string) => void;
  #hasReportedUnusableKey = false;

  private constructor(options: JwtOptions, keys: JWTVerifyGetKey, say: (message: string) => void) {
    this.#options = options;
    this.#keys = keys;
    this.#report = say;
  }

  /**
   * Opens the key set.
   * @param say called when the keys become unavailable and when they are available again
   * @throws OperationError if a file of keys cannot be read; keys of a URL are loaded when first needed
   */
  static async open(options: JwtOptions, say: (message: string) => void): Promise<JwtVerifier> {
    const { jwks } = options;
    const isUrl = /^https?:\/\//i.test(jwks);
    return new JwtVerifier(options, isUrl ? openRemoteKeys(jwks, say) : await openLocalKeys(jwks, say), say);
  }

  /**
   * Verifies a token and returns its principal.
   * @throws Refusal UNAUTHENTICATED, PERMISSION_DENIED without a role if there is no default one; OperationError
   * unavailable without keys
   */
  async findPrincipal(token: string): Promise<Principal> {
    if (token.length > MAX_TOKEN_CHARS)
      throw new InvalidTokenRefusal(
        `Authorization holds a token of ${token.length} characters: expected at most ${MAX_TOKEN_CHARS}`,
      );
    const claims = await this.#verifyToken(token);
    const { rolesClaim, defaultRole } = this.#options;
    const roles = readRoles(claims, rolesClaim);
    const name = readSubject(claims);
    if (roles.length > 0) return { name, roles, authMethod: "jwt" };
    if (defaultRole !== undefined) return { name, roles: [defaultRole], authMethod: "jwt" };
    const expected = `expected one of ${ROLES.join(", ")} in the claim "${rolesClaim}"`;
    throw refuse("PERMISSION_DENIED", `"${name}" has no role here: ${expected}`);
  }

  async #verifyToken(token: string): Promise<JWTPayload> {
    const { issuer, audience } = this.#options;
    try {
      const checks = {
        issuer,
        audience,
        algorithms: ACCEPTED_ALGORITHMS,
        clockTolerance: CLOCK_SKEW_S,
        requiredClaims: ["exp"],
      };
      return (await jwtVerify(token, this.#keys, checks)).payload;
    } catch (error) {
      // The key is too short, or of another kind than the algorithm requires. A missing key set is a refusal.
      if (error instanceof TypeError) {
        if (!this.#hasReportedUnusableKey)
          this.#report(`A key of the key set cannot be used: ${error.message}; its JWTs are rejected`);
        this.#hasReportedUnusableKey = true;
        throw new InvalidTokenRefusal(
          "Authorization holds a JWT of a key that cannot be used: expected a stronger key",
        );
      }
      throw convertToAuthRefusal(error);
    }
  }
}

function openRemoteKeys(url: string, say: (message: string) => void): JWTVerifyGetKey {
  const formatOutage = (why: string) =>
    `Cannot get the key set ${removePassword(url)}: ${why}; JWTs are rejected until it is available`;
  const outage = new OutageReporter(
    { gone: formatOutage, back: `The key set ${removePassword(url)} is available again` },
    say,
  );
  const keys = createRemoteJWKSet(new URL(url), {
    timeoutDuration: FETCH_TIMEOUT_MS,
    cacheMaxAge: MAX_KEYS_AGE_MS,
    cooldownDuration: KEY_REQUEST_INTERVAL_MS,
    [customFetch]: fetchWithLimit,
  });
  return async (header, token) => {
    try {
      const key = await keys(header, token);
      outage.recordSuccess();
      return key;
    } catch (error) {
      const refusal = convertToAuthRefusal(error);
      if (refusal.kind === "unavailable") outage.recordFailure((error as Error).message);
      throw refusal;
    }
  };
}

function removePassword(text: string): string {
  const url = new URL(text);
  url.username = "";
  url.password = "";
  return url.href;
}

async function fetchWithLimit(...[url, options]: Parameters<typeof fetch>): Promise<Response> {
  const answer = await fetch(url, options);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > MAX_KEY_SET_BYTES) throw new errors.JOSEError("The key set is too large");
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), {
    status: answer.status,
    headers: { "content-type": "application/json" },
  });
}

async function openLocalKeys(path: string, say: (message: string) => void): Promise<JWTVerifyGetKey> {
  const meanwhile = "no JWT works";
  const file = await FollowedFile.open({ path, name: "key set", meanwhile, parseContent: parseKeySet, report: say });
  return async (header, token) => {
    const keys = await file.readCurrent();
    if (keys === undefined) throw refuse("CREDENTIALS_UNAVAILABLE", NO_KEYS_MESSAGE);
    return keys(header, token);
  };
}

/** Converts a verification error: a token's fault is reported to the caller; a fault of the server's keys is not. */
function convertToAuthRefusal(error: unknown): OperationError {
  if (error instanceof errors.JWTExpired)
    return new InvalidTokenRefusal("Authorization holds an expired JWT: expected one with a later exp");
  if (error instanceof errors.JWTClaimValidationFailed) {
    return new InvalidTokenRefusal(
      `Authorization holds a JWT whose claim "${error.claim}" is wrong: expected the value that the server requires`,
    );
  }
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) {
    return new InvalidTokenRefusal(
      "Authorization holds a JWT with an unsupported algorithm: expected a signature by public key",
    );
  }
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) {
    return new InvalidTokenRefusal(
      "Authorization holds a JWT of an unknown key: expected a kid of the server's key set",
    );
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return new InvalidTokenRefusal(
      "Authorization holds a JWT with a wrong signature: expected one by the issuer's key",
    );
  }
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) {
    return new InvalidTokenRefusal("Authorization holds an unreadable token: expected a JWT");
  }
  if (error instanceof OperationError) return error;
  const refusal = refuse("CREDENTIALS_UNAVAILABLE", NO_KEYS_MESSAGE);
  refusal.cause = error;
  return refusal;
}

/** Returns the subject, the name in the change log and in messages; throws InvalidTokenRefusal for any other value. */
function readSubject({ sub }: { readonly sub?: unknown }): string {
  if (typeof sub === "string" && SUBJECT_PATTERN.test(sub)) return sub;
  throw new InvalidTokenRefusal(`The token's claim "sub" cannot be used: expected ${EXPECTED_SUBJECT}`);
}

function readRoles(claims: JWTPayload, path: string): readonly Role[] {
  // A claim whose name contains dots is tried before a path, since issuers name claims by URLs.
  const direct = claims[path];
  const value = direct ?? path.split(".").reduce<unknown>((place, name) => findOwnMember(place, name), claims);
  const words = typeof value === "string" ? value.split(/[\s,]+/) : Array.isArray(value) ? value : [];
  return ROLES.filter((role) => words.includes(role));
}

function findOwnMember(place: unknown, name: string): unknown {
  return typeof place === "object" && place !== null && Object.hasOwn(place, name)
    ? Reflect.get(place, name)
    : undefined;
}

/** Parses a JSON Web Key Set; throws OperationError invalid_argument for other text and for a set with a secret key. */
function parseKeySet(text: string): JWTVerifyGetKey {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw createInvalidArgumentError((error as Error).message);
  }
  const keys = isJsonObject(value) ? value["keys"] : undefined;
  if (!Array.isArray(keys) || keys.length === 0) throw createInvalidArgumentError('expected {"keys": [...]}');
  if (keys.some((key) => key?.kty === "oct" || key?.d !== undefined)) {
    throw createInvalidArgumentError("it holds a secret key: expected public ones alone");
  }
  return createLocalJWKSet({ keys });
}

/**
 * Returns a function that authenticates callers by a JWT or by a token of the file. If either is configured, it refuses
 * a call without one, so that an anonymous caller cannot make the server read a body.
 */
export function createPrincipalFinder(tokens: TokenFile | undefined, jwts: JwtVerifier | undefined): FindPrincipal {
  return async (authorization) => {
    if (authorization === null && (tokens !== undefined || jwts !== undefined)) {
      throw refuse("UNAUTHENTICATED", "This call needs a token: expected Authorization: Bearer");
    }
    const jwt = jwts === undefined ? undefined : extractJwt(authorization);
    if (jwts !== undefined && jwt !== undefined) return jwts.findPrincipal(jwt);
    if (tokens !== undefined) return tokens.findPrincipal(authorization);
    // Without configured tokens, any given token is ignored.
    if (jwts === undefined) return undefined;
    throw refuse("UNAUTHENTICATED", "Cannot read the Authorization header: expected Bearer and a JWT");
  };
}
