import { create, toJson } from "@bufbuild/protobuf";
import { MAX_PAGE_SIZE } from "#dc/limits.ts";
import { openService } from "#dc/open_service.ts";
import { searchDeviceTypes } from "#dc/operations/planning/search_device_types.ts";
import {
  type DeviceType,
  DeviceTypeSchema,
  SearchDeviceTypesRequestSchema,
  type SearchDeviceTypesResponse,
} from "#gen/datacenter/v1/planning_pb.ts";
import { print, printJson } from "../../output/print.ts";
import { type Column, renderTable } from "../../output/table.ts";
import { outputWidth } from "../../output/terminal.ts";
import { type Database, demandDatabase } from "../database.ts";

const COLUMNS: readonly Column<DeviceType>[] = [
  { title: "CODE", text: ({ code }) => code },
  { title: "MANUFACTURER", text: ({ manufacturer }) => manufacturer },
  { title: "MODEL", text: ({ model }) => model, shrinks: true },
  { title: "U", text: ({ uHeight = 1 }) => String(uHeight), align: "right" },
  { title: "PORTS", text: ({ ports }) => String(ports.length), align: "right" },
];

export async function listTypes(
  database: Database,
  { words, json }: { readonly words: readonly string[]; readonly json: boolean },
): Promise<void> {
  demandDatabase(database);
  const store = await database.open();
  try {
    const service = await openService(store, { clock: { now: () => new Date() }, authRequired: false });
    const all: DeviceType[] = [];
    for (let pageToken = ""; ; ) {
      const request = create(SearchDeviceTypesRequestSchema, {
        query: words.join(" "),
        pageSize: MAX_PAGE_SIZE,
        pageToken,
      });
      const reply = (await service.call(searchDeviceTypes, request, {
        interface: "SYSTEM",
      })) as SearchDeviceTypesResponse;
      all.push(...reply.deviceTypes);
      if (reply.nextPageToken === "") break;
      pageToken = reply.nextPageToken;
    }
    if (json) for (const type of all) printJson(toJson(DeviceTypeSchema, type, { useProtoFieldName: true }));
    else print(renderTable(all, COLUMNS, outputWidth()));
  } finally {
    await store.close();
  }
}
