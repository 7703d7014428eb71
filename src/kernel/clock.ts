/** The present moment, handed in so that decisions about time can be tested. */
export interface Clock {
  readonly now: () => Date;
}
