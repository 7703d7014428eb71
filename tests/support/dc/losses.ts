import { isLocatedIn } from "#dc/analysis/places.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { parseRef, type Ref } from "#dc/model/ref.ts";
import type { Crac, Device } from "#dc/model/resources.ts";
import type { WalkedSite } from "./walked_site.ts";

// What failures and windows take, by the codes and references that replies name.

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

/** What a failure takes. `gone` has everything that is off, power equipment and what has no power too. */
export type Harm = Readonly<
  Record<"gone" | "lost" | "racks" | "cracs" | "cut" | "isolated" | "short" | "trips", readonly string[]>
>;

/** What belongs where on a site: devices and cooling units in places, blades in chassis. */
export class Belongings {
  readonly devices: ReadonlyMap<string, Device>;
  readonly #cracs: readonly Crac[];
  readonly #racksWithConsumers: ReadonlySet<string>;

  private constructor({ devices, cracs }: Inventory, rows: readonly Json[]) {
    this.devices = new Map(devices.map((device) => [device.code, device]));
    this.#cracs = cracs;
    const consumers = rows.filter(({ texts }) => texts.supply !== undefined && !isPowerKind(texts.kind));
    this.#racksWithConsumers = new Set(consumers.map(({ texts }) => texts.rack));
  }

  static async of(site: WalkedSite): Promise<Belongings> {
    return new Belongings(site.inventory, await site.rows("DEVICE"));
  }

  /** What PowerBlastRadius says that a failure takes: power equipment counts by what it supplies. */
  harmOf(reply: Json): Harm {
    const affected: readonly Json[] = reply.affected ?? [];
    const codes = (kind: string, state: string) =>
      affected
        .filter((item) => item.kind === `ITEM_KIND_${kind}` && item.state === `IMPACT_STATE_${state}`)
        .map(({ code }) => code);
    const off = codes("DEVICE", "OFFLINE");
    return {
      gone: [...off, ...codes("CRAC", "OFFLINE"), ...darkIn(reply)],
      lost: off.filter((code) => !this.#isPower(code)),
      racks: codes("RACK", "DARK"),
      cracs: codes("CRAC", "OFFLINE"),
      cut: reply.switches_cut_off ?? [],
      isolated: reply.devices_without_data_path ?? [],
      short: (reply.zones ?? []).filter(({ short }: Json) => short).map(({ ref }: Json) => ref),
      trips: (reply.cascade_steps ?? []).flatMap(({ trips = [] }: Json) => trips.map(({ ref }: Json) => ref)),
    };
  }

  #isPower(code: string): boolean {
    const device = this.devices.get(code);
    return device !== undefined && isPowerKind(device.kind);
  }

  /** Codes of what is out by the work itself: devices and cooling units in a place and blades, too. */
  coveredBy(refs: readonly string[]): ReadonlySet<string> {
    const places = refs.map((text) => parseRef(text) as Ref);
    const inside = [...this.devices.values(), ...this.#cracs].filter((one) =>
      places.some((place) => isLocatedIn(one, place)),
    );
    const blades = this.bladesIn(refs).map((ref) => ref.slice("device:".length));
    const named = refs.map((ref) => ref.slice(ref.indexOf(":") + 1));
    return new Set([...inside.map(({ code }) => code), ...blades, ...named]);
  }

  /** Blades are taken out with their chassis. */
  bladesIn(refs: readonly string[]): readonly string[] {
    return [...this.devices.values()].flatMap(({ code, parentDeviceCode }) =>
      refs.includes(`device:${parentDeviceCode}`) ? [`device:${code}`] : [],
    );
  }

  /**
   * Without what the work covers. A rack is lost if a device in it is that the work does not cover; without consumers, if
   * its power equipment is.
   */
  uncovered(harm: Harm, covered: ReadonlySet<string>): Harm {
    const lost = harm.lost.filter((code) => !covered.has(code));
    const gone = harm.gone.filter((code) => !covered.has(code));
    return {
      ...harm,
      lost,
      racks: harm.racks.filter((rack) =>
        (this.#racksWithConsumers.has(rack) ? lost : gone).some((code) => this.devices.get(code)?.rackCode === rack),
      ),
      cracs: harm.cracs.filter((code) => !covered.has(code)),
      cut: harm.cut.filter((code) => !covered.has(code)),
    };
  }
}

/** Outlets and feeds without power, by what follows their kind. */
function darkIn({ edges = [] }: Json): readonly string[] {
  const dark = edges.filter(({ live }: Json) => live !== true).map(({ from_ref: ref }: Json) => ref as string);
  return dark.map((ref: string) => ref.slice(ref.indexOf(":") + 1));
}

/** Losses as the reasons of a window name them. */
export function lostRefs({ lost, racks, cracs, cut, isolated, trips }: Harm): readonly string[] {
  const of = (kind: string, codes: readonly string[]) => codes.map((code) => `${kind}:${code}`);
  return [
    ...of("device", lost),
    ...of("rack", racks),
    ...of("crac", cracs),
    ...of("device", cut).map((ref) => `${ref}${SUFFIXES.SWITCH_CUT_OFF}`),
    ...of("device", isolated).map((ref) => `${ref}${SUFFIXES.DATA_PATH_LOST}`),
    ...trips,
  ].toSorted();
}

const SUFFIXES = { SWITCH_CUT_OFF: " cut off", DATA_PATH_LOST: " without data path" } as const;
const LOST = ["RACK_LOST", "DEVICE_LOST", "COOLING_UNIT_LOST", "SWITCH_CUT_OFF", "DATA_PATH_LOST", "TRIP"];

/** The losses that a window names. */
export function namedLosses({ reasons = [] }: Json): readonly string[] {
  return reasons
    .map(({ kind, ref }: Json) => ({ kind: kind.slice("WINDOW_REASON_KIND_".length), ref }))
    .filter(({ kind }: Json) => LOST.includes(kind))
    .map(({ kind, ref }: Json) => `${ref}${SUFFIXES[kind as keyof typeof SUFFIXES] ?? ""}`)
    .toSorted();
}
