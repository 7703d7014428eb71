import { expect, test } from "bun:test";
import { EXIT_STATUS, getErrorStatus } from "#cli/exit_status.ts";
import { ERROR_KINDS } from "#kernel/errors.ts";

test("EXIT_STATUS keeps the numbers that scripts rely on", () => {
  const numbers = { ok: 0, refused: 1, usage: 2, undecided: 3, defect: 70, interrupted: 130, terminated: 143 } as const;
  expect(EXIT_STATUS).toEqual(numbers);
});

test("getErrorStatus tells wrong usage from a plain no", () => {
  const usage = ERROR_KINDS.filter((kind) => getErrorStatus(kind) === EXIT_STATUS.usage);

  expect(usage).toEqual(["invalid_argument"]);
  expect(ERROR_KINDS.every((kind) => getErrorStatus(kind) !== EXIT_STATUS.ok)).toBe(true);
});
