import type { Flags } from "../../command.ts";
import { usageError } from "../../usage_error.ts";

/** Programs whose data is understood. */
export const SOURCES = ["netbox", "csv", "containerlab"] as const;
export type SourceName = (typeof SOURCES)[number];

/** Flags of an import from a source. */
export const SOURCE_FLAGS = {
  from: { type: "enum", options: SOURCES, summary: "Another program's data: an address (--url), files or a folder" },
  origin: { type: "string", value: "name", summary: "--from: name of the source, if there are several" },
  mapping: {
    type: "string",
    value: "file",
    completes: "file",
    summary: "--from: decisions about the mapping, in YAML or JSON",
  },
  prune: { type: "boolean", summary: "--from: delete what came from this source and is no longer there" },
  report: { type: "string", value: "file", completes: "file", summary: "--from: write the report here, as JSON" },
  sites: { type: "string", value: "slugs", summary: "--from netbox: only these sites, separated by commas" },
  "token-file": {
    type: "string",
    value: "file",
    completes: "file",
    summary: "--from netbox: file with the API token (NETBOX_TOKEN)",
  },
  rate: { type: "integer", least: 1, value: "n", summary: "--from netbox: maximum requests per second" },
} as const satisfies Flags;

/** The values of these flags. */
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
