import { refuse } from "#dc/model/refusal.ts";
import type { FindPrincipal } from "#interfaces/connect/caller.ts";
import { type JwtPrincipals, jwtOf } from "./jwt_principals.ts";
import type { TokenFile } from "./token_file.ts";

/**
 * Finds who calls by a JWT or by a token of the file, whichever the header holds. Where either is asked for, a call
 * without one is refused here: an anonymous caller cannot make the server read a body.
 */
export function principalFinder(tokens: TokenFile | undefined, jwts: JwtPrincipals | undefined): FindPrincipal {
  return async (authorization) => {
    if (authorization === null && (tokens !== undefined || jwts !== undefined)) {
      throw refuse("UNAUTHENTICATED", "This call needs a token: expected Authorization: Bearer");
    }
    const jwt = jwts === undefined ? undefined : jwtOf(authorization);
    if (jwts !== undefined && jwt !== undefined) return jwts.find(jwt);
    if (tokens !== undefined) return tokens.find(authorization);
    // Where nothing is asked for, whatever is said is passed over.
    if (jwts === undefined) return undefined;
    throw refuse("UNAUTHENTICATED", "Cannot read the Authorization header: expected Bearer and a JWT");
  };
}
