import { create } from "@bufbuild/protobuf";
import { MAX_PAGE_SIZE } from "#dc/limits.ts";
import { searchDeviceTypes } from "#dc/operations/planning/search_device_types.ts";
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
  const types = await withService(database, async (service) => {
    const all: DeviceType[] = [];
    for (let pageToken = ""; ; ) {
      const request = create(SearchDeviceTypesRequestSchema, {
        query: words.join(" "),
        pageSize: MAX_PAGE_SIZE,
        pageToken,
      });
      const reply = await service.call(searchDeviceTypes, request, { interface: "SYSTEM" });
      const { deviceTypes, nextPageToken } = reply as SearchDeviceTypesResponse;
      all.push(...deviceTypes);
      if (nextPageToken === "") return all;
      pageToken = nextPageToken;
    }
  });
  if (json) for (const type of types) printReplyJson(DeviceTypeSchema, type);
  else printTable(types, TYPE_COLUMNS);
}
