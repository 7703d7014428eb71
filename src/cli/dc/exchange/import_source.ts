import { resolve } from "node:path";
import type { Mapped } from "#dc/exchange/item.ts";
import type { DcStore } from "#dc/ports.ts";
import type { ExitStatus } from "../../exit_status.ts";
import type { Talk } from "../../talk.ts";
import { UsageError } from "../../usage_error.ts";
import { importFrom, type ReadSource } from "./import_from.ts";

export const SOURCES = ["netbox"] as const;
export type SourceName = (typeof SOURCES)[number];

/** What `planner dc import --from` is told. */
export interface SourceWords {
  readonly from: SourceName;
  /** Files and folders. */
  readonly words: readonly string[];
  readonly url: string | undefined;
  readonly "token-file": string | undefined;
  readonly sites: string | undefined;
  readonly rate: number | undefined;
  readonly timeout: number | undefined;
  readonly mapping: string | undefined;
  readonly origin: string | undefined;
  readonly report: string | undefined;
  readonly prune: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** Imports from another program's data. The database is closed by whoever opened it. */
export async function importSource(store: DcStore, given: SourceWords, cwd: string, talk: Talk): Promise<ExitStatus> {
  const { originOf } = await import("./netbox_source.ts");
  const origin = originOf(given.origin ?? given.from);
  const { dryRun, prune, json, report } = given;
  return importFrom(store, READERS[given.from](given, origin, cwd), { origin, dryRun, prune, json, report, cwd }, talk);
}

const READERS: Readonly<Record<SourceName, (given: SourceWords, origin: string, cwd: string) => ReadSource>> = {
  netbox:
    (given, origin, cwd) =>
    async (known, watcher): Promise<Mapped> => {
      const { readNetbox } = await import("./netbox_source.ts");
      const { mapNetbox } = await import("#dc/exchange/netbox/map_netbox.ts");
      const { netboxMapping } = await import("./mapping_file.ts");
      const mapping =
        given.mapping === undefined
          ? { roles: {}, locations: {} }
          : netboxMapping(resolve(cwd, given.mapping), given.mapping);
      const data = await readNetbox(
        {
          path: onePath(given),
          url: given.url,
          tokenFile: given["token-file"],
          sites: given.sites?.split(",").map((site) => site.trim()) ?? [],
          rate: given.rate,
          timeoutS: given.timeout,
          cwd,
        },
        watcher,
      );
      return mapNetbox(data, { origin, ...mapping, known: known.codes, foreign: known.foreign });
    },
};

function onePath({ words, url }: SourceWords): string | undefined {
  if (words.length > 1) throw new UsageError(`Unexpected argument "${words[1]}"`, null);
  if (url !== undefined && words.length > 0) throw new UsageError('"--url" and a file exclude each other', null);
  return words[0];
}
