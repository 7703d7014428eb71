import { expect, test } from "bun:test";
import { findMissingPart } from "#planner/work/provenance.ts";

/** Status and last lines of a command, and what it misses here; null says that it failed by itself. */
const ROWS: readonly [number | null, readonly string[], string | null][] = [
  [127, [], "a program"],
  [126, ["sh: 1: ./run: Permission denied"], "a program"],
  [1, ["sh: 1: vitest: not found", "npm error Lifecycle script `test` failed"], "a program"],
  [1, ["zsh: command not found: docker"], "a program"],
  [2, ["make: vitest: No such file or directory", "make: *** [Makefile:2: test] Error 127"], "a program"],
  [1, ["'pnpm' is not recognized as an internal or external command,"], "a program"],
  [1, ["/usr/bin/python3: No module named pytest"], "a package"],
  [1, ["Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"], "Docker"],
  [125, ["docker: permission denied while trying to connect to the Docker daemon socket"], "Docker"],
  [1, ["npm error request failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org"], "the network"],
  [6, ["curl: (6) Could not resolve host: example.org"], "the network"],
  [1, ['psql: error: connection to server at "127.0.0.1", port 5432 failed: Connection refused'], "a service"],
  [1, ["1 failing", "expected 2, got 3"], null],
  [1, ["ModuleNotFoundError: No module named 'shop.cart'"], null],
  [1, ["Error: Cannot find module './cart'"], null],
  [2, ["make: *** [Makefile:2: test] Error 1"], null],
  [1, ["AssertionError: expected 404 not found page to have a link"], null],
  [1, ["cat: cart.txt: No such file or directory"], null],
  [null, [], null],
];

for (const [status, last_lines, missing] of ROWS) {
  test(`status ${status} with ${JSON.stringify(last_lines)} ${missing === null ? "is a failure" : `misses ${missing}`}`, () => {
    const result = { command: "npm test", status, duration_ms: 1, output_hash: "", last_lines };
    expect(findMissingPart({ ...result, problem: "ended" })).toBe(missing);
    expect(findMissingPart({ ...result, problem: null })).toBeNull();
  });
}
