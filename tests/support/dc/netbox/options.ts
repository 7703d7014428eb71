import type { NetboxOptions } from "#dc/exchange/netbox/where.ts";

/** Options of a first import into an empty database. */
export function netboxOptions(): NetboxOptions {
  const none = new Set<string>();
  return {
    origin: "netbox",
    roles: {},
    locations: {},
    known: new Map(),
    foreign: { rack: none, device: none, crac: none, feed: none },
  };
}
