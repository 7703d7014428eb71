import type { Listed, Lists } from "./lists.ts";

/** A source of random whole numbers below a limit; the same seed gives the same. */
export function randomly(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Pick = (below: number) => number;
type Edit = (lists: Lists, pick: Pick, number: number) => void;

function some(lists: Lists, path: string, pick: Pick): Listed | undefined {
  const list = lists.get(path) ?? [];
  return list[pick(list.length)];
}

function without(lists: Lists, path: string, keep: (one: Listed) => boolean): void {
  lists.set(path, (lists.get(path) ?? []).filter(keep));
}

const idOf = (value: unknown) => (value as { id?: number } | null)?.id;
const COMPONENTS = ["interfaces", "front-ports", "rear-ports", "power-ports", "power-outlets"].map(
  (name) => `dcim/${name}`,
);

/** Ends of cables that no longer exist, as NetBox removes them: with the cable when a side is left without any. */
function pull(lists: Lists, type: string, ids: ReadonlySet<number>): void {
  without(lists, "dcim/cables", (cable) =>
    ["a_terminations", "b_terminations"].every((side) => {
      const ends = cable[side] as readonly { object_type: string; object_id: number }[];
      return !ends.some((end) => end.object_type === type && ids.has(end.object_id));
    }),
  );
}

function removeDevice(lists: Lists, id: number): void {
  without(lists, "dcim/devices", (one) => one.id !== id);
  for (const path of COMPONENTS) {
    const gone = new Set((lists.get(path) ?? []).filter(({ device }) => idOf(device) === id).map((one) => one.id));
    pull(lists, `dcim.${path.slice(5).replace("-", "").replace(/s$/, "")}`, gone);
    without(lists, path, (one) => !gone.has(one.id));
  }
  without(lists, "dcim/device-bays", ({ device }) => idOf(device) !== id);
  for (const bay of lists.get("dcim/device-bays") ?? [])
    if (idOf(bay["installed_device"]) === id) bay["installed_device"] = null;
  without(lists, "dcim/inventory-items", ({ device }) => idOf(device) !== id);
}

const EDITS: readonly Edit[] = [
  (lists, pick, number) => Object.assign(some(lists, "dcim/devices", pick) ?? {}, { name: `renamed ${number}` }),
  (lists, pick, number) =>
    Object.assign(some(lists, "dcim/devices", pick) ?? {}, { serial: pick(2) === 0 ? "" : `N${number}` }),
  (lists, pick) =>
    Object.assign(some(lists, "dcim/devices", pick) ?? {}, {
      status: { value: ["active", "offline", "planned", "failed"][pick(4)] },
    }),
  (lists, pick, number) =>
    Object.assign(some(lists, "dcim/devices", pick) ?? {}, { custom_fields: pick(2) === 0 ? {} : { seen: number } }),
  (lists, pick) =>
    Object.assign(some(lists, "dcim/devices", pick) ?? {}, { tags: pick(2) === 0 ? [] : [{ slug: `tag-${pick(5)}` }] }),
  (lists, pick, number) =>
    Object.assign(some(lists, "dcim/racks", pick) ?? {}, {
      name: `rack ${number}`,
      facility_id: pick(2) === 0 ? null : "F",
    }),
  (lists, pick) =>
    Object.assign(some(lists, "dcim/power-ports", pick) ?? {}, { maximum_draw: 300 + pick(300), allocated_draw: null }),
  (lists, pick, number) =>
    Object.assign(some(lists, "dcim/interfaces", pick) ?? {}, { name: `if${number}`, enabled: pick(2) === 0 }),
  (lists, pick) =>
    Object.assign(some(lists, "dcim/power-feeds", pick) ?? {}, {
      amperage: 16 + pick(16),
      status: { value: ["active", "offline"][pick(2)] },
    }),
  (lists, pick) =>
    Object.assign(some(lists, "dcim/cables", pick) ?? {}, {
      label: `L${pick(9)}`,
      status: { value: ["connected", "planned"][pick(2)] },
    }),
  (lists, pick) => without(lists, "dcim/cables", (one) => one.id !== some(lists, "dcim/cables", pick)?.id),
  (lists, pick) => {
    const list = lists.get("dcim/devices") ?? [];
    if (list.length > 4) removeDevice(lists, list[pick(list.length)]?.id ?? 0);
  },
  // A device changes places with another of its height, or leaves its rack.
  (lists, pick) => {
    const placed = (lists.get("dcim/devices") ?? []).filter(({ position }) => position !== null);
    const one = placed[pick(placed.length)];
    const other = placed.find((two) => two !== one && idOf(two["device_type"]) === idOf(one?.["device_type"]));
    if (one === undefined || other === undefined) return;
    const { position, rack, site } = one;
    Object.assign(one, { position: other["position"], rack: other["rack"], site: other["site"] });
    Object.assign(other, { position, rack, site });
  },
  // A new device with a port, in no rack.
  (lists, pick, number) => {
    const id = 10_000 + 2 * number;
    const model = some(lists, "dcim/devices", pick);
    if (model === undefined) return;
    lists
      .get("dcim/devices")
      ?.push({ ...model, id, name: `new ${number}`, rack: null, position: null, face: null, asset_tag: null });
    lists
      .get("dcim/interfaces")
      ?.push({ id: id + 1, device: { id }, name: "eth0", type: { value: "1000base-t" }, enabled: true });
  },
  // A cable between two interfaces that hold none.
  (lists, pick, number) => {
    const used = new Set(
      (lists.get("dcim/cables") ?? []).flatMap((cable) =>
        ["a_terminations", "b_terminations"].flatMap((side) =>
          (cable[side] as { object_type: string; object_id: number }[])
            .filter(({ object_type: type }) => type === "dcim.interface")
            .map(({ object_id: id }) => id),
        ),
      ),
    );
    const free = (lists.get("dcim/interfaces") ?? []).filter(
      ({ id, type }) => !used.has(id) && (type as { value: string }).value !== "lag",
    );
    const one = free[pick(free.length)];
    const other = free[pick(free.length)];
    if (one === undefined || other === undefined || one === other) return;
    const end = ({ id }: Listed) => [{ object_type: "dcim.interface", object_id: id }];
    lists.get("dcim/cables")?.push({
      id: 50_000 + number,
      status: { value: "connected" },
      a_terminations: end(one),
      b_terminations: end(other),
    });
  },
];

/** Changes a NetBox in place as people do, and as NetBox allows. */
export function editRandomly(lists: Lists, seed: number, count: number): void {
  const pick = randomly(seed);
  for (let number = 0; number < count; number += 1) EDITS[pick(EDITS.length)]?.(lists, pick, seed * 1000 + number);
}
