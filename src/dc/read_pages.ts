import { clone, create, type DescMessage, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import { ListWindowsRequestSchema, type ListWindowsResponse } from "#gen/datacenter/v1/windows_pb.ts";
import type { Caller } from "./context.ts";
import { MAX_PAGE_SIZE } from "./limits.ts";
import { listWindows } from "./operations/planning/windows/list_windows.ts";
import type { Rpc } from "./operations/rpc.ts";

interface PagedReply {
  nextPageToken: string;
}

/** The part of the service that answers calls. */
interface ServiceCalls {
  call(rpc: Rpc, request: MessageShape<Rpc["method"]["input"]>, caller: Caller): Promise<unknown>;
}

/**
 * Requests all pages of a reply as one, until its list has `limit` items. The result may be a reply object that the
 * service shares with other callers.
 * @param list returns the list of items of a reply
 */
export async function readPages<Reply extends PagedReply, Request extends DescMessage>(
  service: ServiceCalls,
  rpc: Rpc,
  asked: { readonly schema: Request; readonly init: MessageInitShape<Request>; readonly caller?: Caller },
  list: (reply: Reply) => unknown[],
  limit = Number.POSITIVE_INFINITY,
): Promise<Reply> {
  const { caller = { interface: "SYSTEM" } } = asked;
  const read = async (pageToken: string) => {
    const request = create(asked.schema, { ...asked.init, pageToken } as MessageInitShape<Request>);
    return (await service.call(rpc, request, caller)) as Reply;
  };
  const first = await read("");
  const isWhole = (reply: Reply) => reply.nextPageToken === "" || list(reply).length >= limit;
  if (isWhole(first)) return first;
  const whole = clone(rpc.method.output, first as unknown as MessageShape<Rpc["method"]["output"]>) as unknown as Reply;
  while (!isWhole(whole)) {
    const page = await read(whole.nextPageToken);
    for (const item of list(page)) list(whole).push(item);
    whole.nextPageToken = page.nextPageToken;
  }
  return whole;
}

/** Reads all pages of the list of windows as one reply, which must not be modified. */
export async function listAllWindows(
  service: ServiceCalls,
  caller: Caller,
  wanted: MessageInitShape<typeof ListWindowsRequestSchema> = {},
): Promise<ListWindowsResponse> {
  const asked = { schema: ListWindowsRequestSchema, init: { ...wanted, pageSize: MAX_PAGE_SIZE }, caller };
  return readPages(service, listWindows, asked, ({ windows }: ListWindowsResponse) => windows);
}
