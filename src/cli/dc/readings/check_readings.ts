import { formatCountOf } from "#words/names.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { plainLine } from "../../output/plain_text.ts";
import { print, printJson } from "../../output/print.ts";
import type { Database } from "../database.ts";
import { withService } from "../with_service.ts";
import { askPrometheus } from "./ask_prometheus.ts";
import { type ReadingQuery, readMapping } from "./mapping_file.ts";
import { type Taken, takeSeries } from "./take_series.ts";

/** Series that are not taken and that are printed for each query. */
const PRINTED = 20;

/** A query with what its series would become, or why it failed. */
interface Checked {
  readonly query: ReadingQuery;
  readonly taken?: Taken;
  readonly failure?: string;
}

/** Asks each query of a mapping once, and prints what would be taken. Keeps nothing. */
export async function checkReadings(
  file: string,
  database: Database,
  { json }: { readonly json: boolean },
): Promise<ExitStatus> {
  const { address, source, queries } = await readMapping(file);
  const checked = await withService(database, async (service) => {
    const all: Checked[] = [];
    for (const query of queries) {
      try {
        const series = await askPrometheus(address, query.query);
        all.push({ query, taken: await takeSeries(service, { query, source }, { series, isTrial: true }) });
      } catch (error) {
        all.push({ query, failure: (error as Error).message });
      }
    }
    return all;
  });
  if (json) printJson({ queries: checked.map(jsonOf) });
  else for (const [index, one] of checked.entries()) print(linesOf(index + 1, one));
  const isClean = checked.every(({ taken }) => taken !== undefined && taken.untakenCount === 0 && taken.series > 0);
  return isClean ? EXIT_STATUS.ok : EXIT_STATUS.refused;
}

function jsonOf({ query: { query, quantity }, taken, failure }: Checked) {
  if (taken === undefined) return { query, quantity, failure };
  const { series, taken: count, untakenCount, untaken } = taken;
  return { query, quantity, series, taken: count, untaken_count: untakenCount, untaken };
}

function linesOf(number: number, { query: { query, quantity }, taken, failure }: Checked): string {
  const head = `${number}. ${quantity}: ${plainLine(query)}`;
  if (taken === undefined) return `${head}\n   failed: ${plainLine(failure ?? "")}\n`;
  const { series, examples, untaken, untakenCount } = taken;
  const counts = `${formatCountOf(series, "series", "series")}, ${taken.taken} taken, ${untakenCount} not`;
  const shown = untaken.slice(0, PRINTED).map((one) => `   not: ${plainLine(one.series)}: ${plainLine(one.reason)}`);
  const more = untakenCount > shown.length ? [`   and ${untakenCount - shown.length} more`] : [];
  return `${[head, `   ${counts}`, ...examples.map((one) => `   ${plainLine(one)}`), ...shown, ...more].join("\n")}\n`;
}
