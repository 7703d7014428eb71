/**
 * `bun tests/bench/dc_reach.ts <database>`: what the failure of a utility takes, answered by the service from memory, and
 * the mere reach of the same utility by recursive SQL on the same SQLite file, in turn. The SQL knows no redundancy: it
 * tells what hangs on the utility, not what goes dark. The database is what `planner dc sample --racks 2000 --db` makes.
 */
import { DatabaseSync } from "node:sqlite";
import { fromJson } from "@bufbuild/protobuf";
import { powerBlastRadius } from "#dc/operations/power_blast_radius.ts";
import { openService } from "#dc/service.ts";
import { openSqlite } from "#dc/store/sqlite/sqlite_store.ts";
import type { PowerBlastRadiusResponse } from "#gen/datacenter/v1/datacenter_pb.ts";
import { median } from "./measure.ts";

const RUNS = 5;
const HALLS = [...Array(49).keys()].map((at) => `H${String(at + 2).padStart(2, "0")}`);
const REACH = `WITH RECURSIVE reach (device) AS (
  SELECT value FROM json_each(:roots)
  UNION SELECT fed.device_key FROM reach JOIN port AS fed ON fed.source_key = 'device:' || reach.device
  UNION SELECT fed.device_key FROM reach
    JOIN port AS outlet ON outlet.device_key = reach.device AND outlet.feed_key IS NOT NULL
    JOIN port AS fed ON fed.source_key = 'feed:' || outlet.feed_key
  UNION SELECT far.device_key FROM reach
    JOIN port AS outlet ON outlet.device_key = reach.device AND outlet.kind = 'POWER_OUT'
    JOIN cable_end AS near ON near.device_key = outlet.device_key AND near.port_name = outlet.name
    JOIN cable_end AS far ON far.cable_key = near.cable_key AND far.device_key <> near.device_key
) SELECT COUNT(*) AS devices FROM reach`;

const file = process.argv[2];
if (file === undefined) throw new Error("expected a database: bun tests/bench/dc_reach.ts <database>");
const plain = new DatabaseSync(file, { readOnly: true });
plain.exec("PRAGMA cache_size = -65536");
const sql = plain.prepare(REACH);
const store = await openSqlite(file);
const service = await openService(store, { clock: { now: () => new Date() }, authRequired: false });

/** Failures differ in how long their lists may be, so that kept answers do not count. */
async function blast([root, ...more]: readonly string[], run: number): Promise<number> {
  const request = {
    source_ref: `device:${root}`,
    additional_source_refs: more.map((code) => `device:${code}`),
    max_items: 1000 + run,
    render: { format: "RENDER_FORMAT_NONE" },
  };
  const caller = { interface: "SYSTEM" } as const;
  const { impact } = (await service.call(
    powerBlastRadius,
    fromJson(powerBlastRadius.method.input, request),
    caller,
  )) as PowerBlastRadiusResponse;
  return (impact?.devicesDegraded ?? 0) + (impact?.devicesOffline ?? 0);
}

const ownMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function compare(name: string, rootsOf: (run: number) => readonly string[]): Promise<void> {
  const times: Record<"sql" | "service", number[]> = { sql: [], service: [] };
  const found = { sql: 0, service: 0 };
  for (let run = -1; run < RUNS; run++) {
    const roots = rootsOf(run + 1);
    const started = ownMs();
    found.sql = Number(sql.get({ roots: JSON.stringify(roots.map((code) => code.toLowerCase())) })?.["devices"]);
    const between = ownMs();
    found.service = await blast(roots, run);
    if (run < 0) continue;
    times.sql.push(between - started);
    times.service.push(ownMs() - between);
  }
  const [bySql, byService] = [median(times.sql), median(times.service)];
  const cells = [
    name,
    `${bySql.toFixed(0)} ms, ${found.sql} devices reached`,
    `${byService.toFixed(0)} ms, ${found.service} off or degraded`,
    `${(bySql / byService).toFixed(1)}x`,
  ];
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}

try {
  process.stdout.write(
    "| failure | recursive SQL, own time | PowerBlastRadius, own time | ratio |\n| --- | --- | --- | --- |\n",
  );
  await compare("a hall's utility, its generator standing by", (run) => [`UTIL-${HALLS[run]}-A`]);
  await compare("a hall's utility and generator", (run) => [`UTIL-${HALLS[run]}-A`, `GEN-${HALLS[run]}-A`]);
  await compare("every utility and generator of side A", () =>
    HALLS.flatMap((hall) => [`UTIL-${hall}-A`, `GEN-${hall}-A`]),
  );
} finally {
  await store.close();
  plain.close();
}
