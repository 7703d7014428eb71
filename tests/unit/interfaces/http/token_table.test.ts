import { expect, test } from "bun:test";
import {
  findTokenPrincipal,
  formatTokenFile,
  hashToken,
  parseTokenTable,
  type TokenRow,
} from "#interfaces/http/token_file.ts";

const row = (name: string, token: string, ...roles: TokenRow["roles"]): TokenRow => ({
  name,
  roles,
  sha256: hashToken(token),
  created_at: "2026-01-02T03:04:05.000Z",
});

const ROWS = [row("anna", "first", "writer"), row("bert", "second", "reader")];

test("principalOf finds whose token it is", () => {
  expect(findTokenPrincipal(ROWS, "Bearer second")).toEqual({ name: "bert", roles: ["reader"], authMethod: "token" });
  expect(findTokenPrincipal(ROWS, "bearer  first")?.name).toBe("anna");
});

test("principalOf knows nobody without a header", () => {
  expect(findTokenPrincipal(ROWS, null)).toBeUndefined();
});

for (const header of ["Bearer third", "Bearer", "Basic first", "first", "Bearer first second", ""]) {
  test(`principalOf refuses "${header}" without repeating it`, () => {
    let refusal: unknown;
    try {
      findTokenPrincipal(ROWS, header);
    } catch (error) {
      refusal = error;
    }

    expect(refusal).toMatchObject({ kind: "unauthenticated", reason: "UNAUTHENTICATED" });
    expect(String(refusal)).not.toContain("third");
  });
}

test("parseTokens reads what writeTokens writes, and no token stands in it", () => {
  const text = formatTokenFile(ROWS);

  expect(parseTokenTable(text)).toMatchObject({ rows: ROWS, faults: [] });
  expect(text).not.toContain("first");
});

for (const [what, text, message] of [
  ["no JSON", "{", "JSON"],
  ["no list", "{}", 'expected an object with a list "tokens"'],
  ["a row that is no object", '{"tokens":[1]}', "tokens[0] is no object"],
  ["a row without a name", '{"tokens":[{"roles":["reader"]}]}', "tokens[0] has no name"],
  ["an unknown role", '{"tokens":[{"name":"a","roles":["root"]}]}', "expected reader, writer, admin"],
  ["no role", '{"tokens":[{"name":"a","roles":[]}]}', "expected reader, writer, admin"],
  ["a plain token", '{"tokens":[{"name":"a","roles":["reader"],"sha256":"first"}]}', "no sha256"],
  ["a name twice", formatTokenFile([...ROWS, row("anna", "third", "reader")]), 'tokens[2].name "anna" is there twice'],
] as const) {
  test(`parseTokens names ${what}`, () => {
    const say = (): string => parseTokenTable(text).faults.join("; ");
    if (text.includes("[")) expect(say()).toContain(message);
    else expect(say).toThrow(message);
  });
}

test("a row that cannot be read locks nobody else out and lets nobody in", () => {
  const text = formatTokenFile([
    row("", "third", "admin"),
    ...ROWS,
    { ...row("late", "fourth", "admin"), expires_at: "soon" },
  ]);
  const { rows, faults, allRows: all } = parseTokenTable(text);

  expect(rows).toEqual(ROWS);
  expect(faults).toEqual([expect.stringContaining("tokens[0]"), expect.stringContaining("expires_at")]);
  expect(all).toHaveLength(ROWS.length + 2);
  for (const name of ["", " ", "a\nb", "\u001b[2J"]) {
    expect(() => formatTokenFile(ROWS, row(name, "fifth", "reader"))).toThrow("name");
  }
});

test("a token opens nothing from its end on", () => {
  const rows: readonly TokenRow[] = [{ ...row("anna", "first", "writer"), expires_at: "2026-02-01T00:00:00.000Z" }];
  const at = (time: string) => () => findTokenPrincipal(rows, "Bearer first", new Date(time));

  expect(at("2026-01-31T23:59:59.999Z")()).toMatchObject({ name: "anna" });
  expect(at("2026-02-01T00:00:00.000Z")).toThrow("expired");
  expect(parseTokenTable(formatTokenFile([{ ...row("a", "b", "reader"), expires_at: "soon" }])).rows).toEqual([]);
});
