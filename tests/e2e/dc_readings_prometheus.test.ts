import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { fromDebian } from "../support/debian.ts";
import { postJson } from "../support/http_client.ts";
import { runPlanner } from "../support/planner_command.ts";
import { PROMETHEUS, Prometheus } from "../support/prometheus.ts";
import { until } from "../support/until.ts";

const MAPPINGS = join(import.meta.dirname, "../../docs/monitoring/readings");

/** What each exporter answers, by instance, in the names and labels that it writes. */
const EXPORTERS = {
  "PDU-RAR": `outletActivePower{outletIndex="1",outletLabel="1"} 120
outletActivePower{outletIndex="2",outletLabel="9"} 5
inletActivePower{inletIndex="1"} 130
`,
  "PDU-PX": `measurementsOutletSensorValue{pduId="1",outletId="1",outletLabel="1",sensorType="activePower"} 80
measurementsOutletSensorValue{pduId="1",outletId="1",outletLabel="1",sensorType="rmsCurrent"} 350
measurementsInletSensorValue{pduId="1",inletId="1",inletLabel="I1",sensorType="activePower"} 90
measurementsInletSensorValue{pduId="1",inletId="1",inletLabel="I1",sensorType="apparentPower"} 95
`,
  "PDU-APC": `rPDU2DeviceStatusPower{rPDU2DeviceStatusIndex="1"} 31
rPDU2OutletMeteredStatusPower{rPDU2OutletMeteredStatusIndex="1"} 300
rPDU2PhaseStatusCurrent{rPDU2PhaseStatusIndex="1"} 14
`,
  "UPS-APC": `upsHighPrecBatteryCapacity 99.5
upsAdvBatteryRunTimeRemaining_seconds 1800
`,
  "PDU-ST3": `outletPower{towerIndex="1",infeedIndex="1",outletIndex="1",infeedID="AA",outletID="AA1"} 40
infeedPower{towerIndex="1",infeedIndex="1",infeedID="AA"} 41
`,
  "PDU-ST4": `st4OutletActivePower{st4UnitIndex="1",st4InputCordIndex="1",st4OutletIndex="1",st4OutletID="AA1"} 50
st4InputCordActivePower{st4UnitIndex="1",st4InputCordIndex="1",st4InputCordID="AA"} 51
`,
  "PDU-GEI": `pduTotalRealPower{pduMainIndex="1"} 60
pduOutletMeterRealPower{pduOutletMeterIndex="1"} 61
pduPhaseCurrent{pduPhaseIndex="1"} 215
`,
  "SRV-RF": `redfish_chassis_power_average_consumed_watts{resource="chassis",chassis_id="1",power_voltage="",power_voltage_id="0"} 210
redfish_chassis_power_powersupply_power_input_watts{resource="power_supply",chassis_id="1",power_supply="PSU1",power_supply_id="0"} 105
redfish_chassis_temperature_celsius{resource="temperature",chassis_id="1",sensor="Inlet Temp",sensor_id="0"} 23
redfish_chassis_temperature_celsius{resource="temperature",chassis_id="1",sensor="CPU1 Temp",sensor_id="1"} 61
`,
  "SRV-HW": `node_hwmon_power_average_watt{chip="LNXSYSTM:00_LNXSYBUS:00_ACPI000D:00",sensor="power1"} 333
node_hwmon_temp_celsius{chip="platform_coretemp_0",sensor="temp1"} 50
`,
} as const;

/** Every reading that follows. The raritan outlet "9" is no port of its PDU. */
const EXPECTED = [
  "device:PDU-APC CURRENT_L1_A 1.4",
  "device:PDU-APC POWER_W 310",
  "device:PDU-GEI CURRENT_L1_A 2.15",
  "device:PDU-GEI POWER_W 60",
  "device:PDU-PX APPARENT_POWER_VA 95",
  "device:PDU-PX POWER_W 90",
  "device:PDU-RAR POWER_W 130",
  "device:PDU-ST3 POWER_W 41",
  "device:PDU-ST4 POWER_W 51",
  "device:SRV-HW POWER_W 333",
  "device:SRV-RF INLET_C 23",
  "device:SRV-RF POWER_W 210",
  "device:UPS-APC BATTERY_MIN 30",
  "device:UPS-APC BATTERY_PCT 99.5",
  "port:PDU-APC/1 POWER_W 300",
  "port:PDU-GEI/1 POWER_W 61",
  "port:PDU-PX/1 POWER_W 80",
  "port:PDU-RAR/1 POWER_W 120",
  "port:PDU-ST3/AA1 POWER_W 40",
  "port:PDU-ST4/AA1 POWER_W 50",
  "port:SRV-RF/PSU1 POWER_W 105",
];

const device = (code: string) => {
  const kind = code.startsWith("SRV") ? "SERVER" : code.startsWith("UPS") ? "UPS" : "RACK_PDU";
  const inlet = { name: "PSU1", kind: "PORT_KIND_POWER_IN" };
  const outlets = ["1", "AA1"].map((name) => ({ name, kind: "PORT_KIND_POWER_OUT" }));
  const location = { site_id: "S", floor_number: 1 };
  return { code, kind: `DEVICE_KIND_${kind}`, location, ports: kind === "SERVER" ? [inlet] : outlets };
};

describe.skipIf(!fromDebian(PROMETHEUS, "prometheus"))("readings of Prometheus", () => {
  const cwd = emptyFolder();
  let prometheus: Prometheus;
  let server: DcServer;
  const call = async (service: string, rpc: string, request: object) =>
    JSON.parse((await postJson(`${server.url}/datacenter.v1.${service}/${rpc}`, request)).text);

  beforeAll(async () => {
    prometheus = await Prometheus.start(EXPORTERS);
    const rows = readdirSync(MAPPINGS).map((name) => readFileSync(join(MAPPINGS, name), "utf8"));
    const [first = "", ...others] = rows.map((text) => text.slice(text.indexOf("queries:\n") + "queries:\n".length));
    writeFileSync(join(cwd, "all.yaml"), `url: ${prometheus.url}\nqueries:\n${[first, ...others].join("")}`);
    server = await DcServer.start(cwd, ["--readings", "all.yaml"]);
    const items = Object.keys(EXPORTERS).map(device);
    await call("DatacenterService", "BulkUpsertDevices", { items, atomic: true });
  });
  afterAll(async () => {
    await server.end();
    await prometheus.end();
  });

  test("check names what would be taken and what not", async () => {
    const { stdout, code } = await runPlanner(["dc", "readings", "check", "all.yaml", "--json"], { cwd });

    const { queries } = JSON.parse(stdout);
    const sum = (key: string) => queries.reduce((all: number, one: Record<string, number>) => all + (one[key] ?? 0), 0);
    expect([code, sum("taken"), sum("untaken_count")]).toEqual([1, EXPECTED.length, 1]);
    expect(queries.flatMap((one: { untaken?: unknown[] }) => one.untaken ?? [])).toMatchObject([
      { series: expect.stringContaining('outletLabel="9"'), reason: 'Cannot find "port:PDU-RAR/9"' },
    ]);
  });

  test("a server takes the series of every exporter as its readings", async () => {
    const again = await DcServer.start(cwd, ["--readings", "all.yaml"]);
    await server.end();
    server = again;
    let found: readonly string[] = [];
    for (let tries = 0; tries < 400 && found.length < EXPECTED.length; tries += 1) {
      const { readings = [] } = await call("PlanningService", "ListReadings", { page_size: 100 });
      found = readings.map(
        (one: Record<string, string>) =>
          `${one["element_ref"]} ${one["quantity"]?.slice("READING_QUANTITY_".length)} ${one["value"]}`,
      );
      if (found.length < EXPECTED.length) await new Promise((resolve) => setTimeout(resolve, 50));
    }

    expect(found.toSorted()).toEqual(EXPECTED);
    await until(() => server.stderr.includes('Cannot find "port:PDU-RAR/9"'));
  });
});
