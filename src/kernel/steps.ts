/** Work that may be left between its steps, so that long work does not hold up everything else. */
export type Steps<Result> = Generator<void, Result>;

/** Does all steps at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
