import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { parseRef } from "#dc/model/ref.ts";
import type { Crac, Device, Port } from "#dc/model/resources.ts";

/*
 * A second, slow model of power, written from the laws of docs/contract/datacenter-analyses.md#power-laws and not from
 * the code: elements are texts, nothing is kept, every question starts from the inventory. It assumes that nothing
 * supplies itself.
 *
 * Elements: "d:CODE" a device, "c:CODE" a cooling unit, "o:CODE/PORT" an outlet, "f:ID" a feed that nobody declares.
 */

const POWER = "UTILITY GENERATOR SWITCHGEAR TRANSFER_SWITCH UPS FLOOR_PDU RPP BUSWAY RACK_PDU".split(" ");

/** An inlet that exists. `source` is an element, "CUT" when its cable does not carry, undefined when nothing is recorded. */
export interface Inlet {
  readonly name: string;
  readonly source: string | undefined;
  readonly allocatedW: number;
}

export type Mode = "NOW" | "AS_BUILT";

/** What is asked: what has failed, and whether what is off for now is taken as working. */
export interface Situation {
  readonly failed: ReadonlySet<string>;
  readonly mode: Mode;
  /** UPSes that were live before and carry on by battery. */
  readonly onBattery?: ReadonlySet<string>;
}

export const NOTHING_FAILED: Situation = { failed: new Set(), mode: "NOW" };

export class PowerModel {
  readonly elements: readonly string[];
  readonly devices = new Map<string, Device>();
  readonly cracs = new Map<string, Crac>();
  readonly outlets = new Map<string, { readonly device: string; readonly port: Port }>();
  private readonly inlets = new Map<string, readonly Inlet[]>();

  private readonly declared = new Map<string, string>();
  private readonly undeclared = new Set<string>();
  private readonly cables: Inventory["cables"];

  constructor({ devices, cracs, cables }: Inventory) {
    this.cables = cables;
    for (const device of devices) this.addDevice(device);
    for (const crac of cracs) this.cracs.set(`c:${crac.code}`, crac);
    for (const { code, ports = [] } of devices) {
      const own = ports.filter(({ kind, enabled }) => kind === "POWER_IN" && enabled !== false);
      const found = own.map((port) => this.inletOf(code, port));
      this.inlets.set(`d:${code}`, found);
    }
    for (const { code, powerInputs = [] } of cracs) {
      const found = powerInputs.map(({ sourceRef, allocatedDrawW = 0 }, at) => ({
        name: String(at),
        source: this.named(sourceRef),
        allocatedW: allocatedDrawW,
      }));
      this.inlets.set(`c:${code}`, found);
    }
    this.elements = [...this.devices.keys(), ...this.outlets.keys(), ...this.cracs.keys(), ...this.undeclared];
  }

  private addDevice(device: Device): void {
    this.devices.set(`d:${device.code}`, device);
    for (const port of device.ports ?? []) {
      if (port.kind !== "POWER_OUT") continue;
      const element = `o:${device.code}/${port.name}`;
      this.outlets.set(element, { device: `d:${device.code}`, port });
      if (port.powerOut?.feedId !== undefined) this.declared.set(port.powerOut.feedId, element);
    }
  }

  private inletOf(code: string, { name, powerIn }: Port): Inlet {
    const isHere = (end: { readonly deviceCode: string; readonly portName: string }) =>
      end.deviceCode === code && end.portName === name;
    const cable = this.cables.find(({ a, b }) => isHere(a) || isHere(b));
    const far = cable && (isHere(cable.a) ? cable.b : cable.a);
    const cut = cable !== undefined && (cable.status ?? "CONNECTED") !== "CONNECTED";
    const ref = powerIn?.sourceRef ?? (far && `port:${far.deviceCode}/${far.portName}`);
    return { name, source: cut ? "CUT" : this.named(ref), allocatedW: powerIn?.allocatedDrawW ?? 0 };
  }

  /** The element that a reference names; undefined when there is none. */
  private named(text: string | undefined): string | undefined {
    const ref = text === undefined ? undefined : parseRef(text);
    if (ref?.kind === "feed") {
      const declared = this.declared.get(ref.code);
      if (declared === undefined) this.undeclared.add(`f:${ref.code}`);
      return declared ?? `f:${ref.code}`;
    }
    const device = ref?.kind === "device" ? `d:${ref.code}` : "";
    if (this.devices.has(device)) return device;
    const outlet = ref?.kind === "port" ? `o:${ref.end.deviceCode}/${ref.end.portName}` : "";
    return this.outlets.has(outlet) ? outlet : undefined;
  }

  inletsOf(element: string): readonly Inlet[] {
    return this.inlets.get(element) ?? [];
  }

  recordedOf(element: string): readonly Inlet[] {
    return this.inletsOf(element).filter(({ source }) => source !== undefined);
  }

  /** Whether something draws from an element, live or not. */
  isSupply(element: string): boolean {
    const consumers = [...this.devices.keys(), ...this.cracs.keys()];
    return (
      consumers.some((one) => this.recordedOf(one).some(({ source }) => source === element)) ||
      [...this.outlets.values()].some(({ device }) => device === element) ||
      consumers.some((one) => this.chassisOf(one) === element)
    );
  }

  isPower(element: string): boolean {
    return POWER.includes(this.devices.get(element)?.kind ?? "");
  }

  /** The chassis that supplies a blade. P6. */
  chassisOf(element: string): string | undefined {
    const { bay, mount, parentDeviceCode } = this.devices.get(element) ?? {};
    if (parentDeviceCode === undefined || (bay === undefined && mount !== "BAY")) return undefined;
    if (this.inletsOf(element).length > 0) return undefined;
    const chassis = `d:${parentDeviceCode}`;
    return this.devices.get(chassis)?.kind === "CHASSIS" ? chassis : undefined;
  }

  isInService(element: string, mode: Mode = "NOW"): boolean {
    const crac = this.cracs.get(element);
    if (crac !== undefined) return ["ACTIVE", "STANDBY"].includes(crac.status ?? "ACTIVE");
    const device = this.devices.get(element);
    const status = device?.status ?? "ACTIVE";
    if (mode === "AS_BUILT" && (status === "FAILED" || status === "OFFLINE")) return true;
    return status === "ACTIVE" || status === "DECOMMISSIONING";
  }

  /** P2: in service, neither power equipment nor patch panel, with an inlet or a draw. */
  isConsumer(element: string): boolean {
    if (!this.isInService(element)) return false;
    if (this.cracs.has(element)) return true;
    const device = this.devices.get(element);
    if (device === undefined || this.isPower(element) || device.kind === "PATCH_PANEL") return false;
    const fed = this.inletsOf(element).length > 0 || this.chassisOf(element) !== undefined;
    return fed || [device.allocatedDrawW, device.maxDrawW, device.measuredDrawW].some((draw) => (draw ?? 0) > 0);
  }

  isUndocumented(element: string): boolean {
    if (!this.isConsumer(element)) return false;
    const chassis = this.chassisOf(element);
    return this.recordedOf(chassis ?? element).length === 0;
  }

  /** Live elements: what is supplied by what is live, from nothing up. P1, P2, P3, P6. */
  live(situation: Situation): ReadonlySet<string> {
    const live = new Set<string>();
    for (let size = -1; size < live.size; ) {
      size = live.size;
      for (const element of this.elements) {
        if (!live.has(element) && this.lights(element, live, situation)) live.add(element);
      }
    }
    return live;
  }

  private lights(element: string, live: ReadonlySet<string>, { failed, mode, onBattery }: Situation): boolean {
    if (failed.has(element)) return false;
    const outlet = this.outlets.get(element);
    if (outlet !== undefined) return this.outletLights(outlet, live, mode);
    if (element.startsWith("f:")) return true;
    if (!this.isInService(element, mode)) return false;
    if (onBattery?.has(element) === true) return true;
    const chassis = this.chassisOf(element);
    if (chassis !== undefined) return live.has(chassis);
    const inlets = this.inletsOf(element);
    const recorded = this.recordedOf(element);
    if (recorded.length === 0) return true;
    const need = Math.max(1, this.minLiveOf(element) - (inlets.length - recorded.length));
    return recorded.filter(({ source = "" }) => live.has(source)).length >= need;
  }

  private outletLights(
    { device, port }: { readonly device: string; readonly port: Port },
    live: ReadonlySet<string>,
    mode: Mode,
  ): boolean {
    const { state, inletName } = port.powerOut ?? {};
    if (mode === "NOW" && (state === "DISABLED" || state === "FAULTY")) return false;
    if (!live.has(device)) return false;
    const named = this.boundTo(device, inletName);
    return named === undefined || live.has(named);
  }

  /** The source of the inlet that an outlet is bound to; undefined when nothing is recorded about it. */
  boundTo(device: string, inletName: string | undefined): string | undefined {
    return this.inletsOf(device).find(({ name }) => name === inletName)?.source;
  }

  minLiveOf(element: string): number {
    return this.devices.get(element)?.power?.minLiveInlets ?? this.cracs.get(element)?.minLiveInlets ?? 1;
  }

  drawOf(element: string, basis: LoadBasis): number {
    return this.recordedDrawOf(element, basis) ?? 0;
  }

  /** The draw that the first recorded figure gives; undefined when nothing is recorded. */
  recordedDrawOf(element: string, basis: LoadBasis): number | undefined {
    const { allocatedDrawW, maxDrawW } = this.devices.get(element) ?? this.cracs.get(element) ?? {};
    const measuredDrawW = this.devices.get(element)?.measuredDrawW;
    const order = {
      ALLOCATED: [allocatedDrawW, maxDrawW, measuredDrawW],
      MEASURED: [measuredDrawW, allocatedDrawW, maxDrawW],
      MAX: [maxDrawW, allocatedDrawW, measuredDrawW],
      MEASURED_PEAK: [measuredDrawW, allocatedDrawW, maxDrawW],
    }[basis];
    return order.find((watts) => watts !== undefined) ?? this.inletDrawOf(element);
  }

  /** Without a draw of its own a consumer draws what its inlets are recorded to draw. */
  private inletDrawOf(element: string): number | undefined {
    if (this.isPower(element)) return undefined;
    const ports = (this.devices.get(element)?.ports ?? []).filter(
      ({ kind, enabled }) => kind === "POWER_IN" && enabled !== false,
    );
    const inlets = [...ports.flatMap(({ powerIn }) => powerIn ?? []), ...(this.cracs.get(element)?.powerInputs ?? [])];
    const allocated = inlets.flatMap(({ allocatedDrawW }) => allocatedDrawW ?? []);
    const most = inlets.flatMap(({ maxDrawW }) => maxDrawW ?? []);
    const draws = allocated.length > 0 ? allocated : most;
    return draws.length === 0 ? undefined : draws.reduce((sum, watts) => sum + watts, 0);
  }

  /** P6: the measured draw of a chassis stands for its blades as well. */
  measuresBlades(chassis: string, basis: LoadBasis): boolean {
    const { allocatedDrawW, maxDrawW, measuredDrawW } = this.devices.get(chassis) ?? {};
    if (measuredDrawW === undefined) return false;
    return (
      basis === "MEASURED" || basis === "MEASURED_PEAK" || (allocatedDrawW === undefined && maxDrawW === undefined)
    );
  }
}
