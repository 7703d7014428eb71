import type { Device } from "#dc/model/resources.ts";
import { convertToSlug, takeUnusedName } from "../codes.ts";

/** A device type of NetBox. Types have the dimensions that the inventory records with each device. */
export interface NetboxType {
  readonly manufacturer: string;
  readonly model: string;
  readonly slug: string;
  readonly uHeight: number;
  readonly isFullDepth: boolean;
  readonly subdevice: string;
}

export const getManufacturer = ({ manufacturer }: Device) => manufacturer ?? "Unknown";

/**
 * Returns the type of each device, by the device's code. Devices of one model with different dimensions get separate
 * types, whose model names show the difference: `R740 (4U)`.
 */
export function buildNetboxTypes(devices: readonly Device[]): ReadonlyMap<string, NetboxType> {
  const models = new UniqueNames();
  const slugs = new UniqueNames();
  const types = new Map<string, NetboxType>();
  const byCode = new Map<string, NetboxType>();
  for (const device of devices) {
    const { uHeight = 1, depth, kind, model = kind } = device;
    const manufacturer = getManufacturer(device);
    const isFullDepth = depth !== "HALF";
    const subdevice = kind === "CHASSIS" ? "parent" : kind === "BLADE" ? "child" : "";
    const key = JSON.stringify([manufacturer, model, uHeight, isFullDepth, subdevice]);
    const known = types.get(key);
    if (known === undefined) {
      const build = [`${uHeight}U`, ...(isFullDepth ? [] : ["half depth"]), subdevice].filter((word) => word !== "");
      const name = models.takeName(manufacturer, model, `${model} (${build.join(", ")})`);
      const slug = slugs.takeName("", convertToSlug(`${manufacturer}-${name}`) ?? "unknown");
      types.set(key, { manufacturer, model: name, slug, uHeight, isFullDepth, subdevice });
    }
    const type = types.get(key);
    if (type !== undefined) byCode.set(device.code, type);
  }
  return byCode;
}

/** Returns names with slugs that no other name has. */
export function assignSlugs(names: readonly string[]): readonly (readonly [name: string, slug: string])[] {
  const slugs = new UniqueNames();
  return names.map((name) => [name, slugs.takeName("", convertToSlug(name) ?? "unknown")]);
}

/** Gives out names so that each is used once within a group, regardless of case. */
class UniqueNames {
  readonly #usedNames = new Set<string>();

  /** Returns the first free name of the wishes; if none is free, the last one with a number. */
  takeName(within: string, ...wishes: readonly [string, ...string[]]): string {
    const last = wishes.at(-1) ?? wishes[0];
    const keyOf = (name: string) => `${within}\n${name}`.toLowerCase();
    return takeUnusedName(wishes, (number) => `${last}-${number}`, this.#usedNames, keyOf);
  }
}
