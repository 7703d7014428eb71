import { describe, expect, test } from "bun:test";
import { InterruptedTransaction, translatePostgresError } from "#dc/store/postgres/postgres_connection.ts";

const withCode = (code: string, more: object = {}) => Object.assign(new Error("as it was said"), { code, ...more });
const fromServer = (code: string) => withCode(code, { severity: "ERROR" });

describe("translateError", () => {
  // EPIPE has the length and the letters of an SQLSTATE.
  test.each(["EPIPE", "ECONNRESET", "CONNECTION_CLOSED"])("takes %s of the network for a lost connection", (code) => {
    expect(translatePostgresError(withCode(code))).toMatchObject({ reason: "lost" });
  });

  test.each(["57P01", "08006", "53300"])("takes %s of the server for a lost connection", (code) => {
    expect(translatePostgresError(fromServer(code))).toMatchObject({ reason: "lost" });
  });

  test.each(["40001", "40P01", "23505"])("takes %s of the server for a conflict", (code) => {
    expect(translatePostgresError(fromServer(code))).toMatchObject({ reason: "conflict" });
  });

  test("leaves what is a mistake of ours as it is", () => {
    const error = fromServer("23503");

    expect(translatePostgresError(error)).toBe(error);
    expect(translatePostgresError(error)).not.toBeInstanceOf(InterruptedTransaction);
  });
});
