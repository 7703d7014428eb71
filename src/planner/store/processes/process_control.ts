import { execFile } from "node:child_process";
import type { ProcessControl } from "../../ports.ts";

export function openProcessControl(): ProcessControl {
  return {
    async terminate(pid) {
      // 0 and negative numbers would mean whole groups of processes, this one's included.
      if (!Number.isSafeInteger(pid) || pid <= 1) return false;
      return process.platform === "win32" ? taskkill(pid) : signal(pid);
    },
  };
}

function signal(pid: number): boolean {
  try {
    return process.kill(pid, "SIGTERM");
  } catch {
    return false;
  }
}

async function taskkill(pid: number): Promise<boolean> {
  // Only a process with a window can be asked; one without is ended.
  return (await run(["/PID", String(pid)])) || (await run(["/PID", String(pid), "/T", "/F"]));
}

function run(args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile("taskkill", args, { windowsHide: true, timeout: 10_000 }, (error) => resolve(error === null));
  });
}
