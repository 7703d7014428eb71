import type { MessageInitShape } from "@bufbuild/protobuf";
import { ListWindowsRequestSchema, type ListWindowsResponse } from "#gen/datacenter/v1/windows_pb.ts";
import type { Caller } from "./context.ts";
import { MAX_PAGE_SIZE } from "./limits.ts";
import { listWindows } from "./operations/planning/windows/list_windows.ts";
import { readPages, type ServiceCalls } from "./read_pages.ts";

/** Reads all pages of the list of windows as one reply, which must not be modified. */
export async function listAllWindows(
  service: ServiceCalls,
  caller: Caller,
  wanted: MessageInitShape<typeof ListWindowsRequestSchema> = {},
): Promise<ListWindowsResponse> {
  const asked = { schema: ListWindowsRequestSchema, init: { ...wanted, pageSize: MAX_PAGE_SIZE }, caller };
  return readPages(service, listWindows, asked, ({ windows }: ListWindowsResponse) => windows);
}
