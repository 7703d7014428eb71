import { formatCountWithNoun } from "#words/names.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { print, printJson, sanitizeLine } from "../../output/print.ts";
import type { DatabaseLocation } from "../database.ts";
import { withService } from "../with_service.ts";
import { queryPrometheus, type ReadingQuery, readReadingMapping } from "./mapping_file.ts";
import { type StoredSeries, storeSeries } from "./take_series.ts";

/** Maximum number of skipped series that are printed per query. */
const MAX_PRINTED_SERIES = 20;

/** A query with the result for its series, or the reason of its failure. */
interface CheckedQuery {
  readonly query: ReadingQuery;
  readonly result?: StoredSeries;
  readonly failure?: string;
}

/** Runs each query of a mapping once and prints the readings that would be stored. Stores nothing. */
export async function checkReadings(
  file: string,
  database: DatabaseLocation,
  { json }: { readonly json: boolean },
): Promise<ExitStatus> {
  const { address, source, queries } = await readReadingMapping(file);
  const checked = await withService(database, async (service) => {
    const all: CheckedQuery[] = [];
    for (const query of queries) {
      try {
        const series = await queryPrometheus(address, query.query);
        all.push({ query, result: await storeSeries(service, { query, source }, { series, isTrial: true }) });
      } catch (error) {
        all.push({ query, failure: (error as Error).message });
      }
    }
    return all;
  });
  if (json) printJson({ queries: checked.map(convertQueryToJson) });
  else for (const [index, one] of checked.entries()) print(formatQuery(index + 1, one));
  const isClean = checked.every(
    ({ result }) => result !== undefined && result.skippedCount === 0 && result.seriesCount > 0,
  );
  return isClean ? EXIT_STATUS.ok : EXIT_STATUS.refused;
}

function convertQueryToJson({ query: { query, quantity }, result, failure }: CheckedQuery) {
  if (result === undefined) return { query, quantity, failure };
  const { seriesCount, storedCount: count, skippedCount, skipped } = result;
  return { query, quantity, series: seriesCount, taken: count, untaken_count: skippedCount, untaken: skipped };
}

function formatQuery(number: number, { query: { query, quantity }, result, failure }: CheckedQuery): string {
  const head = `${number}. ${quantity}: ${sanitizeLine(query)}`;
  if (result === undefined) return `${head}\n   failed: ${sanitizeLine(failure ?? "")}\n`;
  const { seriesCount, examples, skipped, skippedCount } = result;
  const counts = `${formatCountWithNoun(seriesCount, "series", "series")}, ${result.storedCount} taken, ${skippedCount} not`;
  const shown = skipped
    .slice(0, MAX_PRINTED_SERIES)
    .map((one) => `   not: ${sanitizeLine(one.series)}: ${sanitizeLine(one.reason)}`);
  const more = skippedCount > shown.length ? [`   and ${skippedCount - shown.length} more`] : [];
  return `${[head, `   ${counts}`, ...examples.map((one) => `   ${sanitizeLine(one)}`), ...shown, ...more].join("\n")}\n`;
}
