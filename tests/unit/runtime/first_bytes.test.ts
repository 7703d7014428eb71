import { expect, test } from "bun:test";
import { detectProtocol } from "#runtime/connections.ts";

test("detectProtocol knows each speech by its first bytes", () => {
  const heads = ["PRI * HTTP/2.0", "GET / HTTP/1.1", "POST /x", "PUT", "\u0016\u0003\u0001", "junk"];

  const speeches = heads.map((head) => detectProtocol(Buffer.from(head, "latin1")));

  expect(speeches).toEqual(["h2", "h1", "h1", "h1", "tls", "h1"]);
});

test("detectProtocol waits while a start may still become the HTTP/2 preface", () => {
  const speeches = ["P", "PR", "PRI", "PO", "PRO"].map((head) => detectProtocol(Buffer.from(head)));

  expect(speeches).toEqual([undefined, undefined, "h2", "h1", "h1"]);
});
