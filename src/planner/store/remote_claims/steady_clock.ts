import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import type { SteadyTime } from "../../work/claims/claim_looks.ts";
import { bootId } from "../processes/process_mark.ts";

/** Reads the time since the machine's start, sleep included: setting the clock does not change it. */
export function steadyTime(): SteadyTime {
  const boot = bootId();
  const ms = Math.round(sinceStart() * 1000);
  if (boot !== null) return { boot, ms };
  // Without a name of the start its minute serves. Setting the clock makes it another one, and looks begin anew.
  return { boot: String(Math.round((Date.now() - ms) / 60_000)), ms };
}

/** In seconds. The engines round `uptime` differently. */
function sinceStart(): number {
  try {
    return Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]);
  } catch {
    return uptime();
  }
}
