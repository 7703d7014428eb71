import { fixed } from "./parts/labels.ts";

/** Bandwidth from megabits per second, with the unit that reads best. */
export function bandwidth(mbps: number): string {
  if (mbps < 1000) return `${fixed(mbps)} Mbit/s`;
  return mbps < 1_000_000 ? `${fixed(mbps / 1000)} Gbit/s` : `${fixed(mbps / 1_000_000)} Tbit/s`;
}

export function metres(value: number): string {
  return `${fixed(value)} m`;
}

/** Seconds with the unit that reads best. */
export function duration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${fixed(minutes / 60)} h`;
}
