import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  computeDayNumber,
  computePeakFigures,
  DAY_MS,
  formatDay,
  listDaysWithValues,
  type StoredReading,
} from "#dc/model/readings/reading_store.ts";
import { LIST_SIZES } from "#gen/datacenter/v1/bounds.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { ListReadingsResponseSchema, ReadingQuantity } from "#gen/datacenter/v1/readings_pb.ts";
import {
  cutPage,
  openPageToken,
  readPageSize,
  requireMaxCount,
  requireMaxFilterValues,
} from "../../answers/parameters.ts";
import { defineRead } from "../../rpc.ts";
import { createMissingElementRefusal, parseElementKey, parseQuantity } from "./report_readings.ts";

type ReadingCursor = readonly [key: string, quantity: string];

export const listReadings = defineRead({
  method: PlanningService.method.listReadings,
  effect: "read",
  alsoReads: "readings",
  async run({ context, reader, now, lapsesAt }, request) {
    const today = computeDayNumber(Date.parse(now));
    const limit = readPageSize(request.pageSize);
    requireMaxCount("element_refs", request.elementRefs.length, LIST_SIZES.ListReadingsRequest.elementRefs, "values");
    requireMaxFilterValues("quantities", request.quantities.length);
    const keys = request.elementRefs.map((text, index) => parseElementKey(`element_refs[${index}]`, text));
    const quantities = request.quantities.map((number, index) => parseQuantity(`quantities[${index}]`, number));
    const known = await reader.measuredElements(keys);
    for (const [index, key] of keys.entries()) {
      if (!known.has(key))
        throw createMissingElementRefusal(`element_refs[${index}]`, request.elementRefs[index] ?? "");
    }
    const question = ["readings", keys.toSorted(), quantities.toSorted()];
    const [key, quantity] = openPageToken<ReadingCursor>(context.pageKey, question, request.pageToken) ?? [];
    const found = await reader.readings({
      ...(keys.length > 0 && { keys }),
      ...(quantities.length > 0 && { quantities }),
      ...(key !== undefined && quantity !== undefined && { after: { key, quantity } }),
      withDays: true,
      limit: limit + 1,
    });
    // Figures of the last 30 days change at midnight UTC.
    lapsesAt((today + 1) * DAY_MS);
    const sealing = { key: context.pageKey, question };
    const { page, nextPageToken } = cutPage(sealing, found, limit, (last) => [last.element.key, last.quantity]);
    return create(ListReadingsResponseSchema, {
      readings: page.map((one) => createReadingMessage(one, today, request.includeDays)),
      nextPageToken,
    });
  },
});

function createReadingMessage({ element, quantity, kept }: StoredReading, today: number, withDays: boolean) {
  const peak = computePeakFigures(kept.days, today);
  return {
    elementRef: element.ref,
    quantity: ReadingQuantity[quantity],
    value: kept.value,
    time: timestampFromMs(kept.at),
    source: kept.source,
    ...(peak !== undefined && { p9530d: peak.p95, max30d: peak.max }),
    ...(withDays && {
      days: listDaysWithValues(kept.days, today).map(({ day, ...figures }) => ({ date: formatDay(day), ...figures })),
    }),
  };
}
