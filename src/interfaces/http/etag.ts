/**
 * Whether the client's copy is current, by `If-None-Match`: `*`, or a list of tags. Weak tags match too, since proxies
 * that compress weaken them. Source: RFC 9110, 13.1.2.
 */
export function hasCurrentCopy(headers: Headers, etag: string): boolean {
  const given = headers.get("if-none-match");
  if (given === null) return false;
  const tags = given.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return given.trim() === "*" || tags.some((tag) => tag.replace(/^W\//, "") === etag);
}
