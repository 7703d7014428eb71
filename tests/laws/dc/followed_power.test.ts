import { expect } from "bun:test";
import fc from "fast-check";
import { Topology } from "#dc/analysis/topology.ts";
import { LOAD_BASES } from "#dc/model/enum_values.ts";
import type { Device } from "#dc/model/resources.ts";
import { inventory, load } from "../../support/dc/power.ts";
import { law } from "../../support/law.ts";

// Dense little sites: most devices have power, many by two ways, some in circles, which rules would refuse.

const COUNT = 8;
const CODES = [..."ABCDEFGH"];

interface Plan {
  readonly sources: readonly number[];
  readonly kind: "SERVER" | "RACK_PDU" | "TRANSFER_SWITCH";
  readonly status: "ACTIVE" | "FAILED";
  readonly rackCode: string | undefined;
  readonly allocatedDrawW: number;
  readonly powerPath: string | undefined;
  readonly minLiveInlets: number;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  sources: fc.array(fc.nat(COUNT - 1), { maxLength: 3 }),
  kind: fc.constantFrom("SERVER", "RACK_PDU", "TRANSFER_SWITCH"),
  status: fc.constantFrom("ACTIVE", "ACTIVE", "ACTIVE", "FAILED"),
  rackCode: fc.constantFrom("R1", "R2", undefined),
  allocatedDrawW: fc.constantFrom(0, 64, 128),
  powerPath: fc.constantFrom("A", "B", undefined),
  minLiveInlets: fc.constantFrom(1, 1, 1, 2),
});

/** @param tangled lets a device hang on any other, itself included, instead of earlier ones */
function device({ sources, ...one }: Plan, index: number, tangled: boolean): Device {
  const most = tangled ? COUNT : index;
  const refs = most === 0 ? [] : sources.map((source) => `device:${CODES[source % most]}`);
  const { powerPath, minLiveInlets, rackCode, ...rest } = one;
  const power = { minLiveInlets, capacityW: 100, requiredRedundancy: "TWO_N" as const };
  return load(CODES[index] ?? "", refs, {
    ...rest,
    ...(rackCode !== undefined && { rackCode }),
    power: { ...power, ...(powerPath !== undefined && { powerPath }) },
  });
}

const site = fc.array(plan, { minLength: COUNT, maxLength: COUNT });
const change = fc.record({ at: fc.nat(COUNT - 1), to: fc.option(plan, { nil: undefined }) });

function told(topology: Topology) {
  const { power, live, inventory: site } = topology;
  const indexes = new Map(
    site.devices.map(({ code }) => [code, power.indexOf.get(`device:${code.toLowerCase()}`) ?? -1]),
  );
  return {
    live: [...indexes].map(([code, index]) => [code, live[index]]),
    loads: LOAD_BASES.map((basis) => [...indexes].map(([code, index]) => [code, topology.loads(basis)[index]])),
    racks: ["R1", "R2"].map((rack) => [
      topology.listDevicesInRack(rack),
      topology.rackSupply(rack),
      LOAD_BASES.map((basis) => topology.computeRackPathLoads(rack, basis)),
    ]),
    outside: topology.devicesOutsideRacks,
    findings: ["R1", "R2"].map((rack) => topology.powerFindings(rack, "ALLOCATED")),
    verdicts: topology.listRedundancyVerdicts().toSorted((a, b) => (a.code < b.code ? -1 : 1)),
  };
}

for (const tangled of [false, true]) {
  law(
    `what is kept about power follows every change${tangled ? ", in circles as well" : ""}`,
    [site, fc.array(change, { minLength: 1, maxLength: 4 })],
    (plans, changes) => {
      const devices = new Map(plans.map((one, index) => [index, device(one, index, tangled)]));
      const built = () =>
        Topology.createFromInventory(
          inventory(...[...devices.entries()].sort(([a], [b]) => a - b).map(([, one]) => one)),
        );
      let followed = built();
      for (const { at, to } of changes) {
        told(followed);
        if (to === undefined) devices.delete(at);
        else devices.set(at, device(to, at, tangled));
        const after = devices.get(at);
        const keys = { device: [(CODES[at] ?? "").toLowerCase()], rack: [], crac: [], cable: [], fabric_link: [] };
        followed = followed.createChanged(keys, inventory(...(after === undefined ? [] : [after])));

        expect(told(followed)).toEqual(told(built()));
      }
    },
  );
}
