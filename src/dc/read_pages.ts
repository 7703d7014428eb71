import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import type { Caller } from "./context.ts";
import type { DcService } from "./service.ts";

interface Page {
  nextPageToken: string;
}

/** Asks for all pages of a reply as one, until its list has `limit` items. `list` names the items of a page. */
export async function readPages<Reply extends Page, Request extends DescMessage>(
  service: DcService,
  rpc: Parameters<DcService["call"]>[0],
  asked: { readonly schema: Request; readonly init: MessageInitShape<Request>; readonly caller?: Caller },
  list: (reply: Reply) => unknown[],
  limit = Number.POSITIVE_INFINITY,
): Promise<Reply> {
  const { caller = { interface: "SYSTEM" } } = asked;
  let whole: Reply | undefined;
  for (let pageToken = ""; ; ) {
    const request = create(asked.schema, { ...asked.init, pageToken } as MessageInitShape<Request>);
    const page = (await service.call(rpc, request, caller)) as unknown as Reply;
    if (whole === undefined) whole = page;
    else for (const item of list(page)) list(whole).push(item);
    pageToken = page.nextPageToken;
    whole.nextPageToken = pageToken;
    if (pageToken === "" || list(whole).length >= limit) return whole;
  }
}
