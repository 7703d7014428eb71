import { AMS1_TRAFFIC } from "./ams1_traffic.ts";

/** What links of further halls carry to the spine, in Mbit/s, and what comes back, as a share of that. */
const LEAST_MBPS = 15_000;
const MOST_MBPS = 60_000;
const BACK = 0.8;

/** What a link carries each way, in Mbit/s: AMS1's own numbers where there are some, else chance fixed by the name. */
export function trafficMbps(hall: number, place: number, name: string): { upMbps: number; downMbps: number } {
  const known = hall === 1 ? AMS1_TRAFFIC[place] : undefined;
  const mbps = known === undefined ? LEAST_MBPS + share(name) * (MOST_MBPS - LEAST_MBPS) : known / 10;
  return { upMbps: Math.round(mbps), downMbps: Math.round(mbps * BACK) };
}

/** A number from 0 to 1 for a name: FNV-1a, its bits mixed once more since short names differ in few of them. */
function share(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 0xffffffff;
}
