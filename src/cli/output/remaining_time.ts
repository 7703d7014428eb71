/** Returns the seconds that the rest takes at the pace so far; undefined before anything is done. */
export function remainingSeconds(done: number, total: number, elapsedMs: number): number | undefined {
  if (done <= 0) return undefined;
  return Math.ceil(((total - done) * elapsedMs) / done / 1000);
}

/** The same for people, after a comma; nothing if it is unknown or over. */
export function remainingText(seconds: number | undefined): string {
  if (seconds === undefined || seconds <= 0) return "";
  return seconds < 120 ? `, about ${seconds} s left` : `, about ${Math.ceil(seconds / 60)} min left`;
}
