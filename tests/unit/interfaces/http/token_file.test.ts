import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  findTokenPrincipal,
  formatTokenFile,
  hashToken,
  parseTokenTable,
  TokenFile,
  type TokenRow,
} from "#interfaces/http/token_file.ts";
import { later } from "../../../support/later.ts";

const row = (name: string, token = name, ...roles: TokenRow["roles"]): TokenRow => ({
  name,
  roles: roles.length === 0 ? ["reader"] : roles,
  sha256: hashToken(token),
  created_at: "2026-01-02T03:04:05.000Z",
});

function temporary(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "planner-tokens-")), "tokens.json");
  writeFileSync(path, text);
  return path;
}

const name = async (file: TokenFile, token: string) =>
  file.findPrincipal(`Bearer ${token}`).then(
    (principal) => principal?.name,
    (error) => error.kind,
  );

test("TokenFile.find follows the file", async () => {
  const path = temporary(formatTokenFile([row("anna")]));
  const file = await TokenFile.open(path, () => {});

  const before = [await name(file, "anna"), await name(file, "bert")];
  writeFileSync(path, formatTokenFile([row("bert")]));
  const after = await later(async () => [await name(file, "anna"), await name(file, "bert")]);

  expect(before).toEqual(["anna", "unauthenticated"]);
  expect(after).toEqual(["unauthenticated", "bert"]);
});

test("TokenFile.open refuses two rows of one token, naming both", async () => {
  const path = temporary(formatTokenFile([row("anna"), { ...row("anna"), name: "bert" }, row("carl")]));

  await expect(TokenFile.open(path, () => {})).rejects.toMatchObject({
    kind: "invalid_argument",
    message: expect.stringContaining('tokens[0] "anna" and tokens[1] "bert" have the same sha256'),
  });
});

test("TokenFile.find opens nothing by two rows of one token that a running server reads, and warns", async () => {
  const path = temporary(formatTokenFile([row("anna"), row("carl")]));
  const said: string[] = [];
  const file = await TokenFile.open(path, (message) => said.push(message));

  writeFileSync(path, formatTokenFile([row("anna"), { ...row("anna"), name: "bert" }, row("carl")]));
  const found = await later(async () => [await name(file, "anna"), await name(file, "carl")]);

  expect(found).toEqual(["unauthenticated", "carl"]);
  expect(said[0]).toContain('tokens[0] "anna" and tokens[1] "bert"');
});

for (const [what, harm] of [
  ["is broken", (path: string) => writeFileSync(path, "{")],
  ["is gone", (path: string) => rmSync(path)],
] as const) {
  test(`TokenFile.find opens nothing and warns when the file ${what}`, async () => {
    const path = temporary(formatTokenFile([row("anna")]));
    const said: string[] = [];
    const file = await TokenFile.open(path, (message) => said.push(message));

    harm(path);
    const found = await later(() => name(file, "anna"));

    await later(() => name(file, "anna"));
    writeFileSync(path, formatTokenFile([row("anna")]));
    const mended = await later(() => name(file, "anna"));

    expect([found, mended]).toEqual(["unauthenticated", "anna"]);
    expect(said).toHaveLength(2);
    expect(said[0]).toContain("no token works until it can be read");
    expect(said[1]).toBe(`The token file "${path}" can be read again`);
  });
}

test("TokenFile.open refuses a file that is not there", async () => {
  await expect(TokenFile.open("/nowhere/tokens.json", () => {})).rejects.toMatchObject({ kind: "not_found" });
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
