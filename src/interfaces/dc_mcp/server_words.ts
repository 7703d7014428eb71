import type { ServerDescription } from "#interfaces/mcp/messages.ts";

/** Instructions of the server: the purpose of the tools and which one to call first. */
const INSTRUCTIONS =
  "Questions about a datacenter's inventory: racks, devices, cooling units, cables and links. Nothing here changes it. Begin with floor_plan for the state of a floor, or with search_devices for a device whose code is not known; then get_device, get_rack or get_port. power_blast_radius says what a failed source takes down, thermal_headroom how much cooling is left, fabric_topology which links are full, trace_cable_path where a cable ends. A reference is <kind>:<identifier>, such as feed:<feed_id> or floor:<site_id>/<floor_number>. Answers show the main fields and at most 50 items of each list; omitted counts the others, fields and max_items ask for more. render alone draws.";

const PLANNING_INSTRUCTIONS =
  " To plan: find_placement says where new devices fit, get_capacity what is left, rehearse_failures which failures hurt most, search_device_types what may be installed.";

/** Describes the datacenter's MCP server to clients; `withPlanning` if it also has the planning tools. */
export function describeDcServer(withPlanning = false): ServerDescription {
  const instructions = withPlanning ? INSTRUCTIONS + PLANNING_INSTRUCTIONS : INSTRUCTIONS;
  return { info: { name: "planner-dc", version: "0.1.0" }, instructions };
}
