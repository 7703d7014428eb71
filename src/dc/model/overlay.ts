import type { SiteReader } from "./inventory.ts";
import { codeKey, isSamePort } from "./ref.ts";
import type { Cable, Device, PortRef } from "./resources.ts";

/** Returns a site reader with `device` written: searches along the supply must include its new inlets and feeds. */
export function overlayDevice(site: SiteReader, device: Device): SiteReader {
  const key = codeKey(device.code);
  return replaceMethods(site, {
    device: async (code) => (codeKey(code) === key ? device : site.device(code)),
    powerDevices: async (codes) => {
      const others = await site.powerDevices(codes.filter((code) => codeKey(code) !== key));
      return others.length < codes.length && codes.some((code) => codeKey(code) === key) ? [...others, device] : others;
    },
    feedDeclarer: async (feedId) => {
      const own = findFeedPort(device, feedId);
      if (own !== undefined) return own;
      const stored = await site.feedDeclarer(feedId);
      return stored !== undefined && codeKey(stored.deviceCode) === key ? undefined : stored;
    },
  });
}

/** Returns a reader of the site as it will be after `cable` is written. */
export function overlayCable(site: SiteReader, cable: Cable): SiteReader {
  return replaceMethods(site, {
    cableAt: async (end) => (isSamePort(cable.a, end) || isSamePort(cable.b, end) ? cable : site.cableAt(end)),
  });
}

function findFeedPort(device: Device, feedId: string): PortRef | undefined {
  const port = (device.ports ?? []).find(({ powerOut }) => {
    const own = powerOut?.feedId;
    return own !== undefined && codeKey(own) === codeKey(feedId);
  });
  return port === undefined ? undefined : { deviceCode: device.code, portName: port.name };
}

/** Returns a reader with replaced methods. Binds the others, because a copy of a class instance would lose them. */
function replaceMethods(site: SiteReader, replaced: Partial<SiteReader>): SiteReader {
  return new Proxy(site, {
    get(target, name) {
      const method: unknown = Reflect.get(replaced, name) ?? Reflect.get(target, name);
      return typeof method === "function" ? method.bind(target) : method;
    },
  });
}
