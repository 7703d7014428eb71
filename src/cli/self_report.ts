import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type BuildFacts, COMMIT, getBuildFacts } from "./version.ts";

/** Report of `planner doctor --self` about the running program. */
export interface SelfReport extends BuildFacts {
  /** Path of the running executable, or of the engine if planner runs from source. */
  readonly executable: string;
  /** SHA-256 of `executable` in hexadecimal digits, for comparison with the `planner` in a release's archive. */
  readonly sha256: string;
  /** False if an engine runs the source. */
  readonly compiled: boolean;
  /** Always `none`: planner never checks for updates and sends no data. */
  readonly update_channel: "none";
  readonly telemetry: false;
}

/** Describes the running executable. Cost: reads the whole file, about 130 MB. */
export async function readSelfReport(): Promise<SelfReport> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(process.execPath)) hash.update(chunk);
  return {
    ...getBuildFacts(),
    executable: process.execPath,
    sha256: hash.digest("hex"),
    compiled: COMMIT !== "source",
    update_channel: "none",
    telemetry: false,
  };
}

export function formatSelfReport(report: SelfReport): string {
  const rows: readonly (readonly [string, string])[] = [
    ["version", report.version],
    ["commit", report.commit],
    ["engine", report.engine],
    ["platform", `${report.platform} ${report.architecture}`],
    ["executable", report.executable],
    ["sha256", report.sha256],
    ["updates", "none: planner never checks for updates"],
    ["telemetry", "none: planner sends nothing"],
  ];
  return rows.map(([name, value]) => `${name.padEnd(12)}${value}\n`).join("");
}
