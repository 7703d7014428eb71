import { create } from "@bufbuild/protobuf";
import { MAX_QUERY_CHARS } from "#dc/limits.ts";
import { DEVICE_KINDS } from "#dc/model/enum_values.ts";
import type { DeviceType } from "#dc/model/inventory.ts";
import { PlanningService, SearchDeviceTypesResponseSchema } from "#gen/datacenter/v1/planning_pb.ts";
import { readEnumValue, requireMaxCount, requireMaxFilterValues } from "../answers/parameters.ts";
import { defineRead } from "../rpc.ts";
import { readDeviceTypePage } from "./device_types.ts";
import { splitQuery } from "./inventory/search_index.ts";

export const searchDeviceTypes = defineRead({
  method: PlanningService.method.searchDeviceTypes,
  effect: "read",
  async run(session, request) {
    const { query, manufacturers } = request;
    requireMaxCount("query", query.length, MAX_QUERY_CHARS, "characters");
    requireMaxFilterValues("manufacturers", manufacturers.length);
    requireMaxFilterValues("kinds", request.kinds.length);
    const kinds = request.kinds.flatMap((kind, index) => readEnumValue(`kinds[${index}]`, kind, DEVICE_KINDS) ?? []);
    const words = splitQuery(query);
    const makers = manufacturers.map((name) => name.toLowerCase());
    const matches = (type: DeviceType) =>
      (kinds.length === 0 || kinds.includes(type.kind)) &&
      (makers.length === 0 || makers.includes(type.manufacturer.toLowerCase())) &&
      words.every((word) => joinSearchTexts(type).includes(word));
    return create(
      SearchDeviceTypesResponseSchema,
      await readDeviceTypePage(session, request, { words, makers, kinds }, matches),
    );
  },
});

function joinSearchTexts({ code, manufacturer, model, partNumber = "" }: DeviceType): string {
  return `${code} ${manufacturer} ${model} ${partNumber}`.toLowerCase();
}
