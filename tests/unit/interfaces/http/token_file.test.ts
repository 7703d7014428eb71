import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatTokenFile, hashToken, TokenFile } from "#interfaces/http/token_file.ts";
import { later } from "../../../support/later.ts";

const row = (name: string) => ({
  name,
  roles: ["reader"] as const,
  sha256: hashToken(name),
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
