import type { DcBackend } from "#interfaces/dc_mcp/backend.ts";
import { OperationError } from "#kernel/errors.ts";
import { serveStdio } from "../serve_stdio.ts";
import { type Database, databaseOf } from "./database.ts";
import type { ServerAddress } from "./server_client.ts";

/** What answers: a database, or a running server. */
export type DcMcpOptions = ({ readonly database: Database } | { readonly server: ServerAddress }) & {
  /** Whether the tools of planning are served as well. */
  readonly planning?: boolean;
};

/** What an agent reads first: what the tools are for and where to begin. */
const INSTRUCTIONS =
  "Questions about a datacenter's inventory: racks, devices, cooling units, cables and links. Nothing here changes it. Begin with floor_plan for the state of a floor, or with search_devices for a device whose code is not known; then get_device, get_rack or get_port. power_blast_radius says what a failed source takes down, thermal_headroom how much cooling is left, fabric_topology which links are full, trace_cable_path where a cable ends. A reference is <kind>:<identifier>, such as feed:<feed_id> or floor:<site_id>/<floor_number>. Answers show the main fields and at most 50 items of each list; omitted counts the others, fields and max_items ask for more. render alone draws.";

const PLANNING_INSTRUCTIONS =
  " To plan: find_placement says where new devices fit, get_capacity what is left, rehearse_failures which failures hurt most, search_device_types what may be installed.";

/**
 * What the words behind `planner dc mcp` ask for, or undefined when they are anything but none or one `--db` with a
 * path: addresses can be wrong, and the usual way reports that.
 */
export function plainDcMcpWords(words: readonly string[], cwd: string): DcMcpOptions | undefined {
  const [first = "", second] = words;
  const given = words.length === 1 ? /^--db=(.+)/.exec(first)?.[1] : first === "--db" ? second : undefined;
  const isPlain = words.length === 0 || (words.length <= 2 && given !== undefined && !/^-|:\/\//.test(given));
  return isPlain ? { database: databaseOf(given, cwd) } : undefined;
}

/**
 * Serves the datacenter's read tools on standard input and output until the input ends, then ends the process. The
 * greeting waits for nothing; the database is opened with the first call.
 */
export function serveDcMcp(options: DcMcpOptions): Promise<never> {
  return serveStdio({
    info: { name: "planner-dc", version: "0.1.0" },
    instructions: INSTRUCTIONS + (options.planning === true ? PLANNING_INSTRUCTIONS : ""),
    loadTools: async () => {
      const { dcTools } = await import("#interfaces/dc_mcp/tool_set.ts");
      return dcTools(() => openBackend(options), options.planning);
    },
  });
}

async function openBackend(options: DcMcpOptions): Promise<DcBackend> {
  if ("database" in options) return openDatabase(options.database);
  const { remoteBackend } = await import("#interfaces/dc_mcp/remote_backend.ts");
  return remoteBackend(options.server);
}

async function openDatabase(database: Database): Promise<DcBackend> {
  // Opening would create an empty database, so that a mistyped path would give an empty inventory.
  if (!database.exists()) throw new OperationError("not_found", `There is no database "${database.shown}"`);
  const [{ openService }, { serviceBackend }, { Rasterizer }, { loadPage }] = await Promise.all([
    import("#dc/open_service.ts"),
    import("#interfaces/dc_mcp/service_backend.ts"),
    import("#runtime/rasterizer.ts"),
    import("#runtime/pages.ts"),
  ]);
  const rasterizer = new Rasterizer();
  const service = await openService(await database.open(), {
    clock: { now: () => new Date() },
    authRequired: false,
    rasterize: (svg, widthPx) => rasterizer.png(svg, widthPx),
    loadViewer: () => loadPage("picture_file"),
  });
  return serviceBackend(service);
}
