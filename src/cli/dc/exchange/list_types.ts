import { MAX_PAGE_SIZE } from "#dc/limits.ts";
import { searchDeviceTypes } from "#dc/operations/planning/search_inventory.ts";
import { readPages } from "#dc/read_pages.ts";
import {
  type DeviceType,
  DeviceTypeSchema,
  SearchDeviceTypesRequestSchema,
  type SearchDeviceTypesResponse,
} from "#gen/datacenter/v1/planning_pb.ts";
import { type Column, printTable } from "../../output/table.ts";
import type { DatabaseLocation } from "../database.ts";
import { printReplyJson, withService } from "../with_service.ts";

const TYPE_COLUMNS: readonly Column<DeviceType>[] = [
  { title: "CODE", text: ({ code }) => code },
  { title: "MANUFACTURER", text: ({ manufacturer }) => manufacturer },
  { title: "MODEL", text: ({ model }) => model, shrinks: true },
  { title: "U", text: ({ uHeight = 1 }) => String(uHeight), align: "right" },
  { title: "PORTS", text: ({ ports }) => String(ports.length), align: "right" },
];

export async function printDeviceTypes(
  database: DatabaseLocation,
  { words, json }: { readonly words: readonly string[]; readonly json: boolean },
): Promise<void> {
  const init = { query: words.join(" "), pageSize: MAX_PAGE_SIZE };
  const types = (page: SearchDeviceTypesResponse) => page.deviceTypes;
  const { deviceTypes } = await withService(database, (service) =>
    readPages(service, searchDeviceTypes, { schema: SearchDeviceTypesRequestSchema, init }, types),
  );
  if (json) for (const type of deviceTypes) printReplyJson(DeviceTypeSchema, type);
  else printTable(deviceTypes, TYPE_COLUMNS);
}
