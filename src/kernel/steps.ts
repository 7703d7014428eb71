/** Work in steps: the caller may run other work between them. */
export type Steps<Result> = Generator<void, Result>;

/** Does all steps at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
