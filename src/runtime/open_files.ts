import { readdirSync } from "node:fs";
import type { PortLimits } from "./connections.ts";

/** File descriptors that connections leave free. Ours: a database server takes nine, files and pictures the others. */
const RESERVE = 24;
/** Descriptors in use where the system does not list them. Ours: a server with a database in a file has about 20. */
const USUAL_DESCRIPTORS = 32;

/** Returns how many files this process may have open, or undefined if their number is unlimited or unknown. */
export function readOpenFilesLimit(): number | undefined {
  const { userLimits } = (process.report?.getReport() ?? {}) as Partial<Report>;
  const soft = Number(userLimits?.open_files?.soft);
  return Number.isSafeInteger(soft) ? soft : undefined;
}

/** The part of an engine's diagnostic report that is read here. Source: Node.js, "Diagnostic report". */
interface Report {
  readonly userLimits: { readonly open_files?: { readonly soft: number | string } };
}

/** Lowers the numbers of connections to what the limit of open files leaves after the descriptors in use and a reserve. */
export function fitOpenFiles(limits: PortLimits, openFiles: number | undefined): PortLimits {
  if (openFiles === undefined) return limits;
  const free = Math.max(openFiles - countDescriptors(), 4);
  const all = free - Math.min(RESERVE, Math.floor(free / 2));
  const probeConnections = Math.min(limits.probeConnections, Math.ceil(all / 4));
  return { ...limits, probeConnections, maxConnections: Math.min(limits.maxConnections, all - probeConnections) };
}

function countDescriptors(): number {
  for (const folder of ["/proc/self/fd", "/dev/fd"]) {
    try {
      return readdirSync(folder).length;
    } catch {
      // The next folder, or none.
    }
  }
  return USUAL_DESCRIPTORS;
}
