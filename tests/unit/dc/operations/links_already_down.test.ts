import { describe, expect, test } from "bun:test";
import { testService } from "../../../support/dc/service.ts";

/** Leaves L1 and L2, each with a link to the spines S1 and S2; every switch is fed by its own PDU. */
const SWITCHES = { S1: "spine", S2: "spine", L1: "leaf", L2: "leaf" } as const;
const LINKS = ["L1~S1", "L1~S2", "L2~S1", "L2~S2"] as const;

/** PDUs that are out of service before, what fails, and which links and switches that takes. */
type Row = readonly [dark: string, failed: string, links: string, cutOff: string];

const ROWS: readonly Row[] = [
  ["", "S1", "L1~S1 L2~S1", ""],
  ["", "L1", "L1~S1 L1~S2", ""],
  ["", "PS2", "L1~S2 L2~S2", ""],
  ["", "PL2", "L2~S1 L2~S2", ""],
  ["S1", "S1", "", ""],
  ["L1", "L1", "", ""],
  ["S1", "L1", "L1~S2", ""],
  ["S1", "S2", "L1~S2 L2~S2", "L1 L2"],
  ["L1", "S1", "L2~S1", ""],
  ["L1 S1", "S2", "L2~S2", "L2"],
  ["L1 L2", "S1", "", ""],
  ["S1 S2", "L1", "", ""],
  ["S1 S2", "PL2", "", ""],
  ["S1 L1", "PS1", "", ""],
];

describe("a failure takes only links that carried traffic before it", () => {
  test.each(ROWS)("dark before: %p, failed: %p", async (...row) => {
    const [dark, failed, links, cutOff] = row as unknown as Row;
    const { call, store } = await testService();
    const location = { site_id: "S", floor_number: 1 };
    const off = (name: string) => (dark.split(" ").includes(name) ? "DEVICE_STATUS_OFFLINE" : "DEVICE_STATUS_ACTIVE");
    const pdus = Object.keys(SWITCHES).map((name) => ({
      device: { code: `P${name}`, kind: "DEVICE_KIND_RACK_PDU", role: "power", location, status: off(name) },
    }));
    const switches = Object.entries(SWITCHES).map(([code, role]) => ({
      device: {
        code,
        kind: "DEVICE_KIND_SWITCH",
        role,
        location,
        ports: [
          { name: "in", kind: "PORT_KIND_POWER_IN", power_in: { source_ref: `device:P${code}` } },
          ...["S1", "S2", "L1", "L2"].map((name) => ({ name, kind: "PORT_KIND_NETWORK" })),
        ],
      },
    }));
    const fabric = LINKS.map((name) => {
      const [leaf = "", spine = ""] = name.split("~");
      const [a, b] = [
        { device_code: leaf, port_name: spine },
        { device_code: spine, port_name: leaf },
      ];
      return { fabric_link: { a, b, fabric_id: "F", capacity_mbps: 1000 } };
    });
    const { results } = await call("ApplyChanges", { changes: [...pdus, ...switches, ...fabric] });
    expect(results.flatMap(({ error }: { error?: object }) => error ?? [])).toEqual([]);

    const reply = await call("PowerBlastRadius", { source_ref: `device:${failed}` });

    const pairs = (reply.fabric_links_down ?? []).map((ref: string) => ref.replaceAll(/fabric_link:|\/[^~]*/g, ""));
    expect([pairs.join(" "), (reply.switches_cut_off ?? []).join(" ")]).toEqual([links, cutOff]);
    expect(reply.fabric_lost_mbps ?? 0).toBe(1000 * pairs.length);
    await store.close();
  });
});
