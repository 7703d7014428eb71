import { codeKey } from "#dc/model/code.ts";
import { parseRef } from "#dc/model/ref.ts";
import type { Device, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";

/** The codes of other items of the batch that must be applied before one of its items. */
export type Needs = (resource: ResourceByKind["device" | "rack" | "crac" | "cable"]) => readonly string[];

/**
 * Computes dependencies between the items of a batch. A device depends on its chassis and on the devices that supply
 * it; a feed resolves to the item that declares it. Racks, cooling units and cables do not depend on items of their
 * kind.
 */
export function codesNeeded(
  kind: ResourceKind,
  items: readonly ResourceByKind["device" | "rack" | "crac" | "cable"][],
): Needs {
  if (kind !== "device") return () => [];
  const declarers = new Map<string, string>();
  for (const { code, ports = [] } of items as readonly Device[]) {
    for (const { powerOut } of ports) {
      if (powerOut?.feedId !== undefined) declarers.set(codeKey(powerOut.feedId), code);
    }
  }
  return (resource) => {
    const { code, parentDeviceCode, ports = [] } = resource as Device;
    const sources = ports.map(({ powerIn }) => supplier(powerIn?.sourceRef, declarers));
    return [...new Set([parentDeviceCode, ...sources])].filter(
      (need): need is string => need !== undefined && codeKey(need) !== codeKey(code),
    );
  };
}

function supplier(sourceRef: string | undefined, declarers: ReadonlyMap<string, string>): string | undefined {
  if (sourceRef === undefined) return undefined;
  if (!sourceRef.includes(":")) return declarers.get(codeKey(sourceRef)) ?? sourceRef.split("/")[0];
  const ref = parseRef(sourceRef);
  if (ref?.kind === "device") return ref.code;
  if (ref?.kind === "port") return ref.end.deviceCode;
  return ref?.kind === "feed" ? declarers.get(codeKey(ref.code)) : undefined;
}
