import { describe, expect, test } from "bun:test";
import { create } from "@bufbuild/protobuf";
import { type TraceOptions, traceCable } from "#dc/analysis/cabling/cable_trace.ts";
import type { Device, Port } from "#dc/model/resources.ts";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import { answerTraceCablePath } from "#dc/operations/port_reads.ts";
import type { DcReader } from "#dc/ports.ts";
import { TraceCablePathRequestSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { type CabledWorld, host, numbers, panel, portAt, storeWorld } from "../../../support/dc/cabled_world.ts";
import { openMemory } from "../../../support/dc/memory/store.ts";

async function withSite<T>(world: CabledWorld, run: (reader: DcReader) => Promise<T>): Promise<T> {
  const store = openMemory();
  await storeWorld(store, world);
  return store.read(run);
}

async function traced(reader: DcReader, at: string, options: Partial<TraceOptions> = {}) {
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
  };
  const usual = { stopAtPower: false, followSplits: true, maxHops: 512, pause };
  const paths = await traceCable(portAt(at), reader, { ...usual, ...options });
  return { paths, pauses, statuses: paths.map(({ status }) => status).toSorted() };
}

describe("traceCable", () => {
  // A trunk that ends in a front of its own panel: each turn would take one more position.
  test("ends a fibre at the loop, if it comes back with no positions left", async () => {
    const world = {
      devices: [panel("P", 3), host("A"), host("B")],
      joined: [
        ["P/R", "P/F1"],
        ["A/if", "P/F2"],
        ["B/if", "P/F3"],
      ],
    } as const;
    await withSite(world, async (reader) => {
      for (const at of ["P/R", "P/F1"]) {
        const { statuses, paths } = await traced(reader, at);
        expect([at, ...statuses]).toEqual([at, "LOOP", "TRUNCATED", "TRUNCATED"]);
        expect(paths.filter(({ status }) => status === "LOOP")).toMatchObject([
          { problems: [{ code: "LOOP", ref: `port:${at}` }] },
        ]);
      }
    });
  });

  test("takes a bounded number of steps for fibres that wind on without an end", async () => {
    // The fronts of a trunk lead into a loop that stacks one more position at each turn.
    const world = {
      devices: [panel("T", 700), panel("L", 701), host("A")],
      joined: [
        ["L/R", "L/F1"],
        ["A/if", "T/R"],
        ...numbers(700).map((number) => [`T/F${number}`, `L/F${number + 1}`] as const),
      ] as const,
    };
    await withSite(world, async (reader) => {
      for (const at of ["A/if", "T/R", "L/R"]) {
        const { pauses } = await traced(reader, at);
        // 250,000 steps, a pause after each 256 of them.
        expect([at, pauses > 10, pauses <= 1000]).toEqual([at, true, true]);
      }
      expect((await traced(reader, "A/if", { followSplits: false })).statuses).toEqual(["TRUNCATED"]);
    });
  });

  test("takes a bounded number of steps for supplies that double at every device", async () => {
    const supplied = (code: string, refs: readonly string[]): Device => {
      const inlets = refs.map(
        (sourceRef, index): Port => ({ name: `in${index}`, kind: "POWER_IN", powerIn: { sourceRef } }),
      );
      return {
        code,
        kind: "RACK_PDU",
        ports: [...inlets, { name: "o1", kind: "POWER_OUT" }, { name: "o2", kind: "POWER_OUT" }],
      };
    };
    const doubled = numbers(12).map((at) => supplied(`D${at}`, [`port:D${at + 1}/o1`, `port:D${at + 1}/o2`]));
    const single = numbers(490).map((at) => supplied(`D${at + 12}`, at < 490 ? [`port:D${at + 13}/o1`] : []));
    await withSite({ devices: [...doubled, ...single], joined: [] }, async (reader) => {
      const { paths, pauses } = await traced(reader, "D1/in0");
      expect(paths.length).toBeLessThan(1100);
      expect(new Set(paths.map(({ status }) => status))).toEqual(new Set(["COMPLETE", "TRUNCATED"]));
      expect(pauses).toBeLessThan(1000);
    });
  });
});

describe("answerTraceCablePath", () => {
  test("refuses more devices on all paths than a reply holds", async () => {
    const coupler = (code: string): Device => ({
      code,
      kind: "PATCH_PANEL",
      ports: [
        { name: "R", kind: "REAR" },
        { name: "F1", kind: "FRONT", mappings: [{ frontPosition: 1, rearPort: "R", rearPosition: 1 }] },
      ],
    });
    const world = {
      devices: [
        panel("A", 200),
        ...numbers(60).map((at) => coupler(`C${at}`)),
        panel("B", 200),
        ...numbers(200).map((at) => host(`H${at}`)),
      ],
      joined: [
        ["A/R", "C1/F1"],
        ...numbers(59).map((at) => [`C${at}/R`, `C${at + 1}/F1`] as const),
        ["C60/R", "B/R"],
        ...numbers(200).map((at) => [`B/F${at}`, `H${at}/if`] as const),
      ] as const,
    };
    await withSite(world, async (reader) => {
      const topology = () => Promise.reject(new Error("A fibre needs no topology"));
      const ask = (followSplits: boolean, maxHops: number) => {
        const request = create(TraceCablePathRequestSchema, { portRef: "port:A/R", followSplits, maxHops });
        return answerTraceCablePath({ reader, topology, scheduler: new CooperativeScheduler() }, request);
      };
      await expect(ask(true, 128)).rejects.toThrow(
        'The 200 paths of port "A/R" have 12600 devices in all: expected at most 10000, by a smaller max_hops than 128 or without follow_splits',
      );
      expect((await ask(true, 40)).reply.paths).toHaveLength(200);
      expect((await ask(false, 128)).reply.paths).toHaveLength(1);
    });
  });
});
