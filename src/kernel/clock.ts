/** The current time, a parameter so that tests can set it. */
export interface Clock {
  readonly now: () => Date;
}
