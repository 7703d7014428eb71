/** Descriptions of the plain HTTP routes, without GraphQL and RPCs, for documents and OpenAPI. */
export const ROUTE_DESCRIPTIONS = {
  "GET /": "The web console, docs/console.md.",
  "GET /graphql/playground":
    'GraphiQL, which completes and explains queries in a browser and loads nothing from any other host. If authentication is on, write `{"authorization": "Bearer …"}` into its Headers.',
  "GET /healthz": "200 while the process runs. Needs no token.",
  "GET /readyz": "200 if the database answers and no shutdown has begun, else 503 with the reason. Needs no token.",
  "GET /openapi.json":
    "RPCs (from the proto files), log, changes, import, sample, probes and metrics as OpenAPI 3.1; without GraphQL, `/mcp`, `/windows.ics`, `/session`, `/estate`, `/resources`. Needs no token.",
  "POST /import":
    "Imports a sheet (`text/csv`) or JSON with the rules of `planner dc import`, and answers in JSON lines as it proceeds: docs/import/csv.md#by-http.",
  "POST /mcp":
    "MCP over HTTP: the tools of `planner dc mcp` with the rights of the bearer token; `?planning=true` adds those of planning.",
  "GET /metrics": "Prometheus text 0.0.4, or OpenMetrics by `Accept`. Needs no token.",
  "GET /sample": "A sample site of 40 racks as lists of upsert items, which the console offers to an empty inventory.",
  "GET /windows.ics":
    "Maintenance windows for calendar programs, by a secret in the address: docs/windows.md#calendar.",
  "GET /session": "The principal, its roles, and whether authentication is on.",
  "GET /estate": "Sites with floors, fabrics and counts, for people and the console.",
  "GET /resources":
    "Up to 50 resources as stored, with their etags, to be changed; `?ref=` once for each, such as `crac:CRAH-A1`.",
  "GET /audit/verify":
    "Whether the change log's chain of hashes holds: `ok` with its head, or the first entry that does not fit.",
  "POST /audit/webhook":
    "Receives a delivery of a change feed, docs/datacenter.md#writes-behind-the-services-back; authenticated by a separate secret, open on loopback without authentication.",
  "GET /changes/stream": "Changes as they are made, as server-sent events.",
  "GET /audit/history": "The change log, with filters: docs/contract/datacenter-messages.md#change-history.",
} as const;

/** Events of the stream of changes with their data. */
export const STREAM_EVENT_DESCRIPTIONS = {
  head: "The first event: `head_seq`, the last entry of the change log, `changed_at`, its time, and `now`, the server's clock. Its `id` is the position at which the stream starts.",
  change:
    "One entry: `seq`, `occurred_at`, `action`, `entity`, `related`, `changed_fields`, `principal`, `request_id`, `interface`, `method`, `message`, `source`. Its `id` is `seq`. `/audit/history` has the values before and after.",
  verdicts: "Changes of verdicts are sent from its `revision` on.",
  verdict: "A window's verdict, impact or overdue mark changed: `window`, `revision`, `was` and `is`.",
  reset:
    "Instead of `head`, if the entries after `Last-Event-ID` are archived or not from this log: the client must reload its data. Its `id` is the last entry.",
  end: "The last event: `code` and `message`, such as `unauthenticated` if the token has expired or was revoked, and `unavailable` if the server shuts down or its database cannot be read.",
} as const;
