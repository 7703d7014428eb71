/** Work that is split into steps, between which the caller may run other work. */
export type Steps<Result> = Generator<void, Result>;

/** Runs all steps without a pause and returns the result. */
export function runAllSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
