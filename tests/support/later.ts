import { jest } from "bun:test";

let hours = 0;

/** Runs `work` with the process's own clock an hour further than before: whatever was to hold for a while has ended. */
export async function later<Result>(work: () => Promise<Result>): Promise<Result> {
  hours += 1;
  const real = performance.now.bind(performance);
  const now = jest.spyOn(performance, "now").mockImplementation(() => real() + hours * 3_600_000);
  try {
    return await work();
  } finally {
    now.mockRestore();
  }
}
