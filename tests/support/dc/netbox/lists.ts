/** An object of a REST list, as NetBox nests it. */
export type Listed = { id: number } & Record<string, unknown>;

/** REST lists by path, as `dcim/devices`. */
export type Lists = Map<string, Listed[]>;

export const ref = (id: number | undefined) => (id === undefined ? null : { id });
export const choice = (value: string) => ({ value, label: value });

/** Builds the lists of a NetBox, with ids in the order of making. */
export class NetboxLists {
  readonly lists: Lists = new Map();
  #next = 1;

  add(path: string, fields: Record<string, unknown>): number {
    const id = this.#next++;
    const list = this.lists.get(path) ?? [];
    this.lists.set(path, list);
    list.push({ id, url: `https://netbox.example/api/${path}/${id}/`, ...fields });
    return id;
  }

  named(path: string, name: string, more: Record<string, unknown> = {}): number {
    return this.add(path, { name, slug: name.toLowerCase().replace(/[^a-z0-9]+/g, "-"), ...more });
  }

  rack(site: number, name: string, more: Record<string, unknown> = {}): number {
    return this.add("dcim/racks", {
      name,
      site: ref(site),
      location: null,
      status: choice("active"),
      width: choice19(),
      u_height: 42,
      desc_units: false,
      tags: [],
      custom_fields: {},
      ...more,
    });
  }

  type(manufacturer: number, model: string, more: Record<string, unknown> = {}): number {
    return this.add("dcim/device-types", {
      manufacturer: ref(manufacturer),
      model,
      slug: model.toLowerCase().replace(/[^a-z0-9]+/g, "-"),
      u_height: 1,
      is_full_depth: true,
      ...more,
    });
  }

  device(
    where: { site: number; rack?: number; position?: number; type: number; role: number },
    name: string | null,
    more: Record<string, unknown> = {},
  ): number {
    const { site, rack, position, type, role } = where;
    return this.add("dcim/devices", {
      name,
      device_type: ref(type),
      role: ref(role),
      site: ref(site),
      rack: ref(rack),
      position: position ?? null,
      face: position === undefined ? null : choice("front"),
      status: choice("active"),
      serial: "",
      asset_tag: null,
      tags: [],
      custom_fields: {},
      ...more,
    });
  }

  /** A three-phase feed of a panel to a rack. */
  feed(panel: number | undefined, rack: number, name: string): number {
    return this.add("dcim/power-feeds", {
      name,
      power_panel: ref(panel),
      rack: ref(rack),
      status: choice("active"),
      type: choice("primary"),
      supply: choice("ac"),
      phase: choice("three-phase"),
      voltage: 400,
      amperage: 32,
      max_utilization: 80,
      mark_connected: false,
    });
  }

  port(path: string, device: number, name: string, type: string, more: Record<string, unknown> = {}): number {
    return this.add(`dcim/${path}`, { device: ref(device), name, type: choice(type), mark_connected: false, ...more });
  }

  /** @param ends content type and id of each end, one or several to a side */
  cable(a: readonly End[], b: readonly End[], more: Record<string, unknown> = {}): number {
    const side = (ends: readonly End[]) =>
      ends.map(([type, id]) => ({ object_type: type, object_id: id, object: { id } }));
    return this.add("dcim/cables", {
      type: "",
      status: choice("connected"),
      label: "",
      color: "",
      length: null,
      length_unit: null,
      a_terminations: side(a),
      b_terminations: side(b),
      tags: [],
      custom_fields: {},
      ...more,
    });
  }
}

export type End = readonly [type: string, id: number];

function choice19() {
  return { value: 19, label: "19 inches" };
}
