import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Listed, Lists } from "./lists.ts";

/** What goes wrong on the way, by request. */
export type Trouble = (request: {
  readonly path: string;
  readonly offset: number;
  readonly number: number;
}) => { readonly status: number; readonly headers?: Readonly<Record<string, string>> } | "drop" | undefined;

export interface NetboxServer {
  readonly url: string;
  /** Paths with their parameters, in the order asked for. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

const FEWEST = 3;

/** A NetBox as far as reading goes: pages of lists, a token, sites as a filter, and troubles as a real one has. */
export async function serveNetbox(
  lists: Lists,
  {
    token,
    pageSize = FEWEST,
    version,
    trouble = () => undefined,
  }: { token?: string; pageSize?: number; version?: string; trouble?: Trouble } = {},
): Promise<NetboxServer> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://netbox.invalid");
    const offset = Number(url.searchParams.get("offset") ?? 0);
    asked.push(`${url.pathname}?${url.searchParams}`);
    const path = /^\/api\/(.+?)\/$/.exec(url.pathname)?.[1] ?? "";
    const wrong = trouble({ path, offset, number: asked.length });
    if (wrong === "drop") return void request.socket.destroy();
    if (wrong !== undefined) return answer(response, wrong.status, { detail: "trouble" }, wrong.headers);
    if (token !== undefined && request.headers.authorization !== `Token ${token}`)
      return answer(response, 403, { detail: "Invalid token" });
    const all = selected(
      lists.get(path) ?? [],
      path,
      url.searchParams.getAll("site"),
      url.searchParams.getAll("slug"),
      lists,
    );
    const limit = Math.min(Number(url.searchParams.get("limit") ?? 50), pageSize);
    const results = sorted(all, url.searchParams.get("ordering")).slice(offset, offset + limit);
    const next = offset + limit < all.length ? "there is more" : null;
    const body = { count: all.length, next, previous: null, results };
    answer(response, 200, body, { ...(version !== undefined && { "API-Version": version }) });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
}

function sorted(rows: readonly Listed[], ordering: string | null) {
  const sign = ordering === "-id" ? -1 : 1;
  return rows.toSorted((a, b) => sign * (a.id - b.id));
}

type Nested = { readonly id?: number } | null | undefined;

/** Rows of some sites: what names a site itself, or a device or rack of it. */
function selected(
  list: readonly { id: number; [field: string]: unknown }[],
  path: string,
  sites: readonly string[],
  slugs: readonly string[],
  lists: Lists,
) {
  if (path === "dcim/sites" && slugs.length > 0) return list.filter(({ slug }) => slugs.includes(String(slug)));
  if (sites.length === 0) return list;
  const ids = new Set(
    (lists.get("dcim/sites") ?? []).filter(({ slug }) => sites.includes(String(slug))).map(({ id }) => id),
  );
  const deviceIds = new Set(
    (lists.get("dcim/devices") ?? []).filter(({ site }) => ids.has((site as Nested)?.id ?? 0)).map(({ id }) => id),
  );
  return list.filter(({ site, device }) => {
    if (site !== undefined) return ids.has((site as Nested)?.id ?? 0);
    return device === undefined || deviceIds.has((device as Nested)?.id ?? 0);
  });
}
