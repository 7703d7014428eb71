/**
 * Words by which services say that the account is refused or out of credit, as the agents pass them on. Their real CLIs
 * printed the first; the others are documented by the services.
 */
const REFUSALS =
  /\b(?:401|402)\b|unauthori[sz]ed|unauthenticated|failed to authenticate|authentication (?:failed|error)|invalid[ _](?:x-)?api[ _-]?key|api key not valid|incorrect api key|not logged in|please (?:run )?\/?log ?in|credit balance|insufficient[_ ](?:quota|credits?|funds)|billing[_ ](?:hard )?limit|payment required|usage limit|quota exceeded/i;

/** Whether an agent failed for its account: the next run of the same agent would fail as well. */
export function isAccountError(failure: string): boolean {
  return REFUSALS.test(failure);
}
