import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { Role } from "#dc/context.ts";
import { hashToken, parseTokens, type TokenRow, writeTokens } from "#interfaces/http/token_table.ts";
import { OperationError } from "#kernel/errors.ts";
import { print } from "../print.ts";
import type { Talk } from "../talk.ts";
import { writeFile } from "../write_file.ts";

/** Bytes of a token. Source: decision D-07; 256 bits cannot be guessed, so its hash needs no salt. */
const TOKEN_BYTES = 32;

/** Makes a token, keeps its hash and prints it: the only time that it can be seen. */
export function createToken(file: string, name: string, role: Role, talk: Talk): void {
  const rows = existsSync(file) ? readRows(file) : [];
  if (rows.some((row) => row.name === name)) {
    throw new OperationError(
      "already_exists",
      `There is a token "${name}" already: expected another name, or revoke it`,
    );
  }
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const row: TokenRow = { name, roles: [role], sha256: hashToken(token), created_at: new Date().toISOString() };
  writeFile(file, writeTokens([...rows, row]));
  print(`${token}\n`);
  talk.note(`Keep it: ${file} holds its hash alone`);
}

/** Prints every token's name, role and age. */
export function listTokens(file: string): void {
  for (const { name, roles, created_at } of readRows(file)) print(`${name}\t${roles.join(",")}\t${created_at}\n`);
}

/** Takes a token's rights away; running servers follow within a second. */
export function revokeToken(file: string, name: string): void {
  const rows = readRows(file);
  const left = rows.filter((row) => row.name !== name);
  if (left.length === rows.length) throw new OperationError("not_found", `There is no token "${name}" in ${file}`);
  writeFile(file, writeTokens(left));
}

function readRows(file: string): readonly TokenRow[] {
  try {
    return parseTokens(readFileSync(file, "utf8"));
  } catch (error) {
    if (error instanceof OperationError) throw error;
    throw new OperationError("not_found", `Cannot read "${file}": ${(error as Error).message}`, { cause: error });
  }
}
