/** Source of the current time; a parameter, so that tests can set the time. */
export interface Clock {
  readonly now: () => Date;
}
