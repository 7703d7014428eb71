import { refuse } from "#dc/model/refusal.ts";
import type { FindPrincipal } from "#interfaces/connect/caller.ts";
import { extractJwt, type JwtVerifier } from "./jwt_principals.ts";
import type { TokenFile } from "./token_file.ts";

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
