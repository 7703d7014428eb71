import type { JsonObject } from "@bufbuild/protobuf";

interface RackChanges {
  /** Changes that are written first. */
  readonly before: readonly JsonObject[];
  /** The changes of one round; those of the next one differ. */
  readonly listChanges: (round: number) => readonly JsonObject[];
}

export const RACK_ROUNDS = 4;

/** The kinds of changes that people make to many resources of one rack at once, `size` changes of each kind. */
export function changesInOneRack(size: number): Readonly<Record<string, RackChanges>> {
  const each = (change: (at: number) => JsonObject) => Array.from({ length: size }, (_, at) => change(at));
  const eachRound = (list: (round: number) => readonly JsonObject[]) =>
    Array.from({ length: RACK_ROUNDS }, (_, round) => list(round)).flat();
  const device = (code: string, fields: JsonObject = {}): JsonObject => ({
    device: { code, kind: "DEVICE_KIND_SERVER", role: "compute", rack_code: "R1", mount: "MOUNT_SHELF", ...fields },
  });
  const network = (name: string) => ({ name, kind: "PORT_KIND_NETWORK", type: "10gbase-t" });
  const inlet = (name: string) => ({ name, kind: "PORT_KIND_POWER_IN", power_in: { allocated_draw_w: 90 } });
  const racks = ["R1", "R2"].map((code) => ({ rack: { code, location: { site_id: "S", floor_number: 1 } } }));
  const ports = Array.from({ length: RACK_ROUNDS }, (_, at) => [network(`eth${at}`), inlet(`psu${at}`)]).flat();
  const servers = [...racks, ...each((at) => device(`S${at}`, { ports }))];
  const set = (fields: (at: number, round: number) => JsonObject) => (round: number) =>
    each((at) => ({ device: { code: `S${at}`, ...fields(at, round) } }));
  const cables = (own: string, far: string, type: string) => (round: number) =>
    each((at) => {
      const a = { device_code: `S${at}`, port_name: `${own}${round}` };
      return { cable: { a, b: { device_code: `${far}${round}`, port_name: String(at) }, type } };
    });
  const switches = eachRound((round) => [
    device(`SW${round}`, { kind: "DEVICE_KIND_SWITCH", ports: each((at) => network(String(at))) }),
  ]);
  const outlets = each((at) => ({ name: String(at), kind: "PORT_KIND_POWER_OUT" }));
  const pdus = eachRound((round) => [device(`PDU${round}`, { kind: "DEVICE_KIND_RACK_PDU", ports: outlets })]);
  const dataCables = cables("eth", "SW", "CABLE_TYPE_CAT6A");
  return {
    "new devices": { before: racks, listChanges: (round) => each((at) => device(`N${round}-${at}`)) },
    "new devices with ports": {
      before: racks,
      listChanges: (round) => each((at) => device(`N${round}-${at}`, { ports })),
    },
    "new blades": {
      before: [...racks, device("C", { kind: "DEVICE_KIND_CHASSIS" })],
      listChanges: (round) =>
        each((at) => ({
          device: {
            code: `B${round}-${at}`,
            kind: "DEVICE_KIND_SERVER",
            role: "compute",
            parent_device_code: "C",
            bay: `${round}-${at}`,
          },
        })),
    },
    draws: { before: servers, listChanges: set((at, round) => ({ allocated_draw_w: 300 + round + at })) },
    names: { before: servers, listChanges: set((_, round) => ({ name: `name ${round}` })) },
    moves: { before: servers, listChanges: set((_, round) => ({ rack_code: `R${2 - (round % 2)}` })) },
    ports: { before: servers, listChanges: set((_, round) => ({ ports: [...ports, network(`new${round}`)] })) },
    "data cables": { before: [...servers, ...switches], listChanges: dataCables },
    "power cables": { before: [...servers, ...pdus], listChanges: cables("psu", "PDU", "CABLE_TYPE_POWER") },
    "removed devices": {
      before: [...racks, ...eachRound((round) => each((at) => device(`S${round}-${at}`)))],
      listChanges: (round) => each((at) => ({ delete_ref: `device:S${round}-${at}` })),
    },
    "removed cables": {
      before: [...servers, ...switches, ...eachRound(dataCables)],
      listChanges: (round) => each((at) => ({ delete_ref: `cable:S${at}/eth${round}~SW${round}/${at}` })),
    },
  };
}
