import type { Flags } from "../../command.ts";
import { usageError } from "../../usage_error.ts";

/** Programs whose data is understood. */
export const SOURCES = ["netbox", "csv", "containerlab"] as const;
export type SourceName = (typeof SOURCES)[number];

export const SOURCE_FLAGS = {
  from: { type: "enum", options: SOURCES, summary: "Another program's data" },
  origin: { type: "string", value: "name", summary: "--from: name of the source" },
  mapping: { type: "string", value: "file", completes: "file", summary: "--from: mapping decisions, in YAML or JSON" },
  prune: { type: "boolean", summary: "--from: delete what the source no longer has" },
  report: { type: "string", value: "file", completes: "file", summary: "--from: write a JSON report" },
  sites: { type: "string", value: "slugs", summary: "--from netbox: only these, comma-separated" },
  "token-file": {
    type: "string",
    value: "file",
    completes: "file",
    summary: "--from netbox: API token (NETBOX_TOKEN)",
  },
  rate: { type: "integer", least: 1, value: "n", summary: "--from netbox: maximum requests per second" },
} as const satisfies Flags;

export interface SourceArgs {
  readonly from: SourceName | undefined;
  readonly origin: string | undefined;
  readonly mapping: string | undefined;
  readonly prune: boolean;
  readonly report: string | undefined;
  readonly sites: string | undefined;
  readonly "token-file": string | undefined;
  readonly rate: number | undefined;
}

/** @throws UsageError for a flag of a source without --from */
export function refuseSourceFlags(args: SourceArgs): void {
  for (const name of Object.keys(SOURCE_FLAGS) as (keyof SourceArgs)[]) {
    if (args[name] !== undefined && args[name] !== false) throw usageError("dc import", `"--${name}" needs "--from"`);
  }
}
