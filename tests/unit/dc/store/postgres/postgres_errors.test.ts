import { describe, expect, test } from "bun:test";
import { Interrupted, translateError } from "#dc/store/postgres/postgres_errors.ts";

const withCode = (code: string, more: object = {}) => Object.assign(new Error("as it was said"), { code, ...more });
const fromServer = (code: string) => withCode(code, { severity: "ERROR" });

describe("translateError", () => {
  // EPIPE has the length and the letters of an SQLSTATE.
  test.each(["EPIPE", "ECONNRESET", "CONNECTION_CLOSED"])("takes %s of the network for a lost connection", (code) => {
    expect(translateError(withCode(code))).toMatchObject({ why: "lost" });
  });

  test.each(["57P01", "08006", "53300"])("takes %s of the server for a lost connection", (code) => {
    expect(translateError(fromServer(code))).toMatchObject({ why: "lost" });
  });

  test.each(["40001", "40P01", "23505"])("takes %s of the server for a conflict", (code) => {
    expect(translateError(fromServer(code))).toMatchObject({ why: "conflict" });
  });

  test("leaves what is a mistake of ours as it is", () => {
    const error = fromServer("23503");

    expect(translateError(error)).toBe(error);
    expect(translateError(error)).not.toBeInstanceOf(Interrupted);
  });
});
