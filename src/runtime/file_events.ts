/**
 * Whether `fs.watch` reports everything in this process through one queue in the order in which it happened. Bun on
 * Linux has one inotify descriptor and one thread that empties it; Deno has one of each per watcher, and macOS and
 * Windows report late and in groups.
 */
export function reportsFileEventsInOrder(): boolean {
  return process.platform === "linux" && process.versions["bun"] !== undefined;
}
