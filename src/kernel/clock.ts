/** Source of the current time; a parameter, so that tests can set the time. */
export interface Clock {
  readonly now: () => Date;
  /**
   * Returns milliseconds that pass since an arbitrary moment, which no setting of the time changes. Absent where
   * nothing waits or expires.
   */
  readonly uptime?: () => number;
}

/** The clocks of this machine. */
export const SYSTEM_CLOCK: Clock = { now: () => new Date(), uptime: () => performance.now() };

/** Returns the uptime of a clock; that of this machine if it has none. */
export function readUptime({ uptime = () => performance.now() }: Clock): number {
  return uptime();
}
