import { useEffect, useState } from "preact/hooks";

const MINUTE_MS = 60_000;

/** Returns the current time in milliseconds, updated every ten seconds. */
export function useCurrentTime(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Formats a duration as `12 min` or `3 h 05 min`. */
export function formatElapsedTime(fromMs: number, toMs: number): string {
  const minutes = Math.max(0, Math.floor((toMs - fromMs) / MINUTE_MS));
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** Formats an ISO time in the reader's time zone; returns other text unchanged. */
export function formatLocalTime(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime())
    ? at
    : time.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
