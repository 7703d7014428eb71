/** Promises of the datacenter service. Source: docs/contract/datacenter-interfaces.md. */
export const DC_PROMISES = {
  // Resources
  "dc.code.identifies": "Devices, racks and CRACs are created, updated and deleted by their code",
  "dc.edge.ends-identify":
    "Cables and fabric links are created, updated and deleted by their two ends, in either order",

  // RPCs
  "dc.rpc.power-blast-radius":
    "PowerBlastRadius answers what a failed source affects and what stays protected, with a diagram",
  "dc.rpc.trace-cable-path": "TraceCablePath answers hops and segments, with a diagram",
  "dc.rpc.get-rack": "GetRack answers a rack's elevation, occupants and capacity",
  "dc.rpc.thermal-headroom": "ThermalHeadroom takes scope_ref and answers heat against cooling",
  "dc.rpc.fabric-topology": "FabricTopology answers links, utilization and congestion",
  "dc.rpc.floor-plan": "FloorPlan answers the layout of a floor with the health of every rack: ok, watch or fault",
  "dc.rpc.search-pages": "SearchDevices answers pages by cursor: no device is missing and none comes twice",
  "dc.rpc.search-counts": "SearchDevices answers total_count and counts per role",
  "dc.rpc.get-device": "GetDevice answers a device for inspection",
  "dc.rpc.get-port": "GetPort answers a port for inspection",
  "dc.rpc.render": "Render answers any subject as SVG, PNG, HTML or DOT",
  "dc.rpc.bulk-per-item": "A bulk call reports each item: which ones succeeded and which ones failed",
  "dc.rpc.bulk-transaction": "A bulk call is one transaction: with atomic nothing is written if an item fails",

  // REST
  "dc.rest.every-rpc": "Every RPC is reachable at POST /<proto_package>.<ServiceName>/<RpcName>",
  "dc.rest.snake-case": "Request and reply fields are in snake_case",
  "dc.rest.unknown-field": "A change refuses an unknown field and names it",
  "dc.rest.status": "An error carries its code, a reason and the matching HTTP status",

  // GraphQL
  "dc.graphql.blast-radius": "powerBlastRadius(sourceRef, includeProtected) answers impact, affected and protected",
  "dc.graphql.search": "searchDevices(filter, pageSize, pageToken) answers a DevicePage",
  "dc.graphql.queries": "GraphQL has the nine queries by their names",
  "dc.graphql.mutations": "GraphQL has upsert, delete and bulk mutations of devices, racks and cracs",
  "dc.graphql.bulk-result": "Bulk mutations return a BulkResult with outcomes per item",
  "dc.graphql.playground": "GET /graphql/playground answers an IDE in the browser",

  // MCP adapter
  "dc.mcp.ten-tools": "The MCP adapter has exactly the ten read tools",
  "dc.mcp.read-only": "The MCP adapter offers no change",
  "dc.mcp.same-answer": "A tool answers what its RPC answers",

  // HTTP routes
  "dc.route.metrics": "GET /metrics answers metrics in text format without authentication",
  "dc.route.history": "GET /audit/history answers who changed what, with the state before and after",
  "dc.route.webhook": "POST /audit/webhook takes change feed deliveries only with their secret",

  // Authentication and one core
  "dc.auth.reader": "With authentication on, a reader may read and not change, on REST and GraphQL alike",
  "dc.auth.writer": "A writer may change, singly and in bulk",
  "dc.auth.anonymous": "With authentication on, a call without a principal is refused",
  "dc.core.same-everywhere": "A change on one interface is visible on the others at once",
} as const;
