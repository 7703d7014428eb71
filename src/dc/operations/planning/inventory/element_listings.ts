import {
  computeBatteryMinutes,
  getSupplyState,
  isRedundancyUnmet,
  isRedundancyUnproven,
} from "#dc/analysis/power/power_figures.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { createModelKey } from "#dc/exchange/items.ts";
import { getDrawSource, getDrawW, getHeatW, isPowerKind } from "#dc/model/draw.ts";
import type { DeviceType } from "#dc/model/inventory.ts";
import { isEnabledInlet } from "#dc/model/power_walk.ts";
import {
  codeKey,
  compareText,
  formatCableRef,
  formatPortReference,
  getFabricKey,
  parseRef,
  toPortKey,
  toRefKey,
} from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import { type Cable, type Crac, type Device, type FabricLink, isInService, type Port } from "#dc/model/resources.ts";
import { type DcReader, readResourcePages } from "#dc/ports.ts";
import { getRefName } from "#words/names.ts";
import { type CracShare, computeScopeShares } from "../../../analysis/cooling/thermal.ts";
import { createLinkView, type FabricLinkView, type LinkDevices } from "../../../analysis/fabric/fabric_tiers.ts";
import { computePhaseFigures, findBusiestPhase, type PhaseName } from "../../../analysis/power/port_load.ts";
import { type CarriedLoads, computeUtilization } from "../../../analysis/power/power_failover.ts";
import { isListedSupply, type PowerNode } from "../../../analysis/power/power_nodes.ts";
import { countUnknownDraws, isLoadUnknown } from "../../../analysis/power/unknown_draws.ts";
import { listDownstreamCodes, resolveSourceNodes } from "../../answers/failing_sources.ts";
import { CONGESTED_PCT, WATCHED_PCT } from "../../messages/convert.ts";
import { readAllDeviceTypes } from "../device_types.ts";
import {
  type Cell,
  createRoundedCell,
  createTextCell,
  type Listing,
  LOCATION_COLUMNS,
  splitIntoBatches,
} from "./places_listing.ts";

/**
 * Lists devices with their location, draw and supply. `fed_by` and `free_port` are conditions without a column. Cost:
 * redundancy verdicts of all devices when the redundancy column is first used.
 */
export function createDevicesListing(
  topology: Topology,
  reader: Pick<DcReader, "devicesWithFreePorts">,
): Listing<Device> {
  const { power, live } = topology;
  const redundancy = createLazyGetter(() => computeRedundancyCells(topology));
  return {
    getRef: ({ code }) => `device:${code}`,
    getName: ({ code }) => code,
    columns: {
      name: ({ name }) => createTextCell(name),
      kind: ({ kind }) => kind,
      role: ({ role }) => createTextCell(role),
      status: ({ status = "ACTIVE" }) => status,
      ...LOCATION_COLUMNS,
      rack: ({ rackCode }) => createTextCell(rackCode),
      position_u: ({ positionU }) => positionU,
      height_u: ({ uHeight }) => uHeight,
      draw_w: (device) => getDrawW(device, "ALLOCATED"),
      draw_source: (device) => (isPowerKind(device.kind) ? undefined : getDrawSource(device)),
      max_draw_w: ({ maxDrawW }) => maxDrawW,
      measured_draw_w: ({ measuredDrawW }) => measuredDrawW,
      heat_w: (device) => createRoundedCell(computeHeatNowW(device)),
      supply: ({ code }) => getSupplyState(power, live, power.indexOf.get(`device:${codeKey(code)}`) ?? -1),
      cords: ({ ports = [] }) => ports.filter(isEnabledInlet).length,
      redundancy: ({ code }) => redundancy().get(codeKey(code)),
      cooling: ({ coolingMethod }) => coolingMethod,
      inside: ({ parentDeviceCode }) => createTextCell(parentDeviceCode),
      manufacturer: ({ manufacturer }) => createTextCell(manufacturer),
      model: ({ model }) => createTextCell(model),
      serial: ({ serial }) => createTextCell(serial),
      asset_tag: ({ assetTag }) => createTextCell(assetTag),
      weight_kg: ({ weightKg }) => weightKg,
      tenant: ({ tenant }) => createTextCell(tenant),
      tags: ({ tags = [] }) => createTextCell(tags.join(", ")),
    },
    relations: {
      fed_by: async (values, field) => createFedByCondition(topology, values, field),
      free_port: (values, field) => createFreePortCondition(reader, values, field),
    },
    readBatches: () => splitIntoBatches(topology.inventory.devices),
    total: topology.inventory.devices.length,
  };
}

/**
 * Returns a test of whether one of several sources feeds a device. A source is a reference, or the code of a device,
 * feed, outlet or rack.
 */
function createFedByCondition(topology: Topology, values: readonly string[], field: string) {
  const fed = values.flatMap((text, at) =>
    listDownstreamCodes(
      topology.power,
      resolveSourceNodes(topology, resolveSourceText(topology, text), `${field}[${at}]`),
    ),
  );
  const keys = new Set(fed.map(codeKey));
  return ({ code }: Device) => keys.has(codeKey(code));
}

function resolveSourceText({ power, inventory }: Topology, text: string): string {
  if (text.includes(":")) return text;
  const kind = ["device", "feed", "port"].find((one) => power.indexOf.get(toRefKey(`${one}:${text}`)) !== undefined);
  if (kind !== undefined) return `${kind}:${text}`;
  return inventory.racks.some(({ code }) => codeKey(code) === codeKey(text)) ? `rack:${text}` : text;
}

async function createFreePortCondition(
  reader: Pick<DcReader, "devicesWithFreePorts">,
  values: readonly string[],
  field: string,
): Promise<(device: Device) => boolean> {
  const wanted = new Set(values.map((value) => value.toUpperCase()));
  for (const value of wanted) {
    if (value === "YES" || value === "NO") continue;
    const detail = { field, value, expected: "YES or NO" };
    throw refuse("FIELD_OUT_OF_RANGE", `Condition "free_port" has the value "${value}": expected YES or NO`, detail);
  }
  const keys = await reader.devicesWithFreePorts();
  return ({ code }) => wanted.has(keys.has(codeKey(code)) ? "YES" : "NO");
}

/**
 * Returns, by the key of the device code, whether the device has its required redundancy. Omits devices that require
 * none.
 */
function computeRedundancyCells(topology: Topology): ReadonlyMap<string, Cell> {
  return new Map(
    topology
      .listRedundancyVerdicts()
      .map((verdict) => [
        codeKey(verdict.code),
        isRedundancyUnmet(verdict) ? "UNMET" : isRedundancyUnproven(verdict) ? "UNKNOWN" : "MET",
      ]),
  );
}

/** Returns a function that computes a value on its first call and returns it on every call. */
function createLazyGetter<Value>(work: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => {
    known ??= { value: work() };
    return known.value;
  };
}

/** Returns a device's heat output in watts: 0 unless in service; undefined without a recorded heat or draw. */
function computeHeatNowW(device: Device): number | undefined {
  const isRecorded = (device.heatW ?? getDrawW(device, "ALLOCATED")) !== undefined;
  return isRecorded ? Number(isInService(device)) * getHeatW(device, "ALLOCATED") : undefined;
}

/** Lists catalogue types with the number of devices of that manufacturer and model. Cost: O(types + devices). */
export function createTypesListing(reader: DcReader, devices: readonly Device[]): Listing<DeviceType> {
  const built = countDevicesByModel(devices);
  return {
    getRef: ({ code }) => `device_type:${code}`,
    getName: ({ code }) => code,
    columns: {
      manufacturer: ({ manufacturer }) => manufacturer,
      model: ({ model }) => model,
      part_number: ({ partNumber }) => createTextCell(partNumber),
      kind: ({ kind }) => kind,
      height_u: ({ uHeight }) => uHeight,
      depth: ({ depth }) => depth,
      airflow: ({ airflow }) => airflow,
      weight_kg: ({ weightKg }) => weightKg,
      max_draw_w: ({ maxDrawW }) => maxDrawW,
      ports: ({ ports = [] }) => ports.length,
      bays: ({ bays = [] }) => bays.length,
      devices: ({ manufacturer, model }) => built.get(createModelKey(manufacturer, model) ?? "") ?? 0,
    },
    readBatches: () => readTypeBatches(reader),
  };
}

function countDevicesByModel(devices: readonly Device[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { manufacturer, model } of devices) {
    const key = createModelKey(manufacturer, model);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

async function* readTypeBatches(reader: DcReader): AsyncGenerator<readonly DeviceType[]> {
  for await (const { resource } of readAllDeviceTypes(reader)) yield [resource];
}

/** Lists cables with their ends. Reads the database, because the topology omits data cables. */
export function createCablesListing(reader: DcReader, total: number): Listing<Cable> {
  return {
    getRef: ({ a, b }) => formatCableRef(a, b),
    getName: ({ a, b }) => `${a.deviceCode}/${a.portName}~${b.deviceCode}/${b.portName}`,
    columns: {
      label: ({ label }) => createTextCell(label),
      a_device: ({ a }) => a.deviceCode,
      a_port: ({ a }) => a.portName,
      b_device: ({ b }) => b.deviceCode,
      b_port: ({ b }) => b.portName,
      type: ({ type }) => type,
      status: ({ status = "CONNECTED" }) => status,
      length_m: ({ lengthM }) => lengthM,
      color: ({ color }) => createTextCell(color),
      bundle: ({ bundle }) => createTextCell(bundle),
      tenant: ({ tenant }) => createTextCell(tenant),
      tags: ({ tags = [] }) => createTextCell(tags.join(", ")),
    },
    readBatches: () => readResourcePages(reader, "cable"),
    total,
  };
}

interface PortOfDevice {
  readonly device: Device;
  readonly port: Port;
}

/** Lists ports with their devices; looks up the far ends only for the rows of a page. */
export function createPortsListing(reader: DcReader, total: number): Listing<PortOfDevice> {
  return {
    getRef: ({ device, port }) => formatPortReference({ deviceCode: device.code, portName: port.name }),
    getName: ({ device, port }) => `${device.code}/${port.name}`,
    columns: {
      device: ({ device }) => device.code,
      port: ({ port }) => port.name,
      kind: ({ port }) => port.kind,
      type: ({ port }) => createTextCell(port.type),
      speed_mbps: ({ port }) => port.speedMbps,
      role: ({ port }) => port.netRole,
      enabled: ({ port }) => (port.enabled === false ? "NO" : "YES"),
      source: ({ port }) => createTextCell(port.powerIn?.sourceRef),
      feed: ({ port }) => createTextCell(port.powerOut?.feedId),
      lag: ({ port }) => createTextCell(port.lag),
      mac_address: ({ port }) => createTextCell(port.macAddress),
      label: ({ port }) => createTextCell(port.label),
      rack: ({ device }) => createTextCell(device.rackCode),
    },
    readBatches: () => readPortBatches(reader),
    total,
    loadTexts: (items) => findFarEnds(reader, items),
  };
}

async function* readPortBatches(reader: DcReader): AsyncGenerator<readonly PortOfDevice[]> {
  for await (const devices of readResourcePages(reader, "device")) {
    yield devices.flatMap((device) => (device.ports ?? []).map((port) => ({ device, port })));
  }
}

/** Finds the ports at the other end of the cables of some ports. */
async function findFarEnds(reader: DcReader, items: readonly PortOfDevice[]) {
  const cables = await reader.cablesOfAll([...new Set(items.map(({ device }) => device.code))]);
  const ends = new Map(
    cables.flatMap(({ a, b }) => [
      [toPortKey(a), b],
      [toPortKey(b), a],
    ]),
  );
  return ({ device, port }: PortOfDevice): Readonly<Record<string, string>> => {
    const far = ends.get(toPortKey({ deviceCode: device.code, portName: port.name }));
    return far === undefined ? {} : { leads_to: formatPortReference(far) };
  };
}

const LINK_LIMITS = { congestionPct: CONGESTED_PCT, watchPct: WATCHED_PCT };

/** Lists fabric links with their load. @param views every link with the state that results from its ends */
export function createLinksListing(views: readonly FabricLinkView[]): Listing<FabricLinkView> {
  return {
    getRef: ({ ref }) => ref,
    getName: ({ ref }) => getRefName(ref),
    columns: {
      fabric: ({ link }) => createTextCell(link.fabricId),
      a_device: ({ link }) => link.a.deviceCode,
      a_port: ({ link }) => createTextCell(link.a.portName),
      b_device: ({ link }) => link.b.deviceCode,
      b_port: ({ link }) => createTextCell(link.b.portName),
      health: ({ health }) => health,
      status: ({ link: { status = "UP" } }) => status,
      traffic: ({ live }) => (live ? "UP" : "DOWN"),
      capacity_mbps: ({ link }) => link.capacityMbps,
      load_pct: (view) => computeLinkLoadPct(view),
      errors: ({ link }) => link.errorCount,
      ecmp_group: ({ link }) => createTextCell(link.ecmpGroup),
      lag: ({ link }) => createTextCell(link.lag),
    },
    readBatches: () => splitIntoBatches(views),
    total: views.length,
  };
}

/** Returns the load of a link in percent; undefined without a capacity or a measurement. */
function computeLinkLoadPct({ link: { capacityMbps, aToBMbps, bToAMbps }, utilizationPct }: FabricLinkView) {
  const isKnown = (capacityMbps ?? 0) > 0 && (aToBMbps ?? bToAMbps) !== undefined;
  return isKnown ? createRoundedCell(utilizationPct) : undefined;
}

/** Returns the state of each link, computed from its own state and that of its ports and the devices along it. */
export function computeLinkViews(links: readonly FabricLink[], devices: LinkDevices): readonly FabricLinkView[] {
  return links.map((link) => createLinkView(link, devices, LINK_LIMITS));
}

interface FabricRow {
  readonly id: string;
  readonly views: readonly FabricLinkView[];
}

export function createFabricsListing(views: readonly FabricLinkView[]): Listing<FabricRow> {
  const byId = Map.groupBy(views, ({ link }) => getFabricKey(link));
  const rows = [...byId.values()]
    .map((own) => ({ id: own[0]?.link.fabricId ?? "", views: own }))
    .sort((a, b) => compareText(a.id, b.id));
  return {
    getRef: ({ id }) => `fabric:${id}`,
    getName: ({ id }) => id,
    columns: {
      links: (row) => row.views.length,
      up: (row) => row.views.filter(({ live }) => live).length,
      down: (row) => row.views.filter(({ live }) => !live).length,
      congested: (row) =>
        row.views.filter(({ live, utilizationPct }) => live && utilizationPct >= CONGESTED_PCT).length,
      busiest_pct: (row) => createRoundedCell(findHighestLoadPct(row)),
      switches: (row) => new Set(row.views.flatMap(({ link }) => [link.a.deviceCode, link.b.deviceCode])).size,
    },
    readBatches: () => splitIntoBatches(rows),
    total: rows.length,
  };
}

function findHighestLoadPct({ views }: FabricRow): number | undefined {
  const shares = views.map(computeLinkLoadPct).filter((share) => typeof share === "number");
  return shares.length === 0 ? undefined : Math.max(...shares);
}

interface SupplyRow {
  readonly index: number;
  readonly node: PowerNode;
  /** The power equipment itself, or the device of the outlet; undefined for a feed that no outlet declares. */
  readonly device: Device | undefined;
}

/**
 * Lists power equipment, feeds, outlets and other devices with a rating, with their loads and phase loads now and after
 * one failure. Requires a judged topology.
 */
export function createPowerListing(topology: Topology): Listing<SupplyRow> {
  const { power, live } = topology;
  const carried = topology.computeCarriedLoads("ALLOCATED");
  const createLoadCell = (index: number, figure: number | undefined) =>
    isLoadUnknown(carried, index) ? undefined : createRoundedCell(figure);
  const rows = [...power.nodes.entries()]
    .flatMap(([index, node]) => createSupplyRow(topology, index, node) ?? [])
    .sort((a, b) => compareText(a.node.ref.toLowerCase(), b.node.ref.toLowerCase()));
  return {
    getRef: ({ node }) => node.ref,
    getName: ({ node }) => getRefName(node.ref),
    columns: {
      kind: ({ node, device }) =>
        node.kind === "DEVICE" ? device?.kind : node.ref.startsWith("feed:") ? "FEED" : "OUTLET",
      status: ({ device }) => device?.status ?? (device === undefined ? undefined : "ACTIVE"),
      power: ({ index }) => (live[index] === 1 ? "LIVE" : "DEAD"),
      side: ({ device }) => createTextCell(device?.power?.powerPath),
      load_w: ({ index }) => createLoadCell(index, carried.loads.watts[index]),
      capacity_w: ({ node }) => node.capacityW,
      load_pct: ({ index }) => createLoadCell(index, computeUtilization(carried, index)?.normalPct),
      failover_w: ({ index }) => createLoadCell(index, carried.failover.loads[index]),
      failover_pct: ({ index }) => createLoadCell(index, computeUtilization(carried, index)?.failoverPct),
      failover_ref: ({ index }) => createTextCell(power.nodes[carried.failover.lost[index] ?? -1]?.ref),
      limit_pct: ({ index }) => computeUtilization(carried, index)?.limitPct,
      ...createPhaseColumns(carried),
      battery_min: ({ index, node }) => createRoundedCell(computeBatteryMinutes(node, carried.loads.watts[index] ?? 0)),
      battery_failover_min: ({ index, node }) =>
        createRoundedCell(computeBatteryMinutes(node, carried.failover.loads[index] ?? 0)),
      consumers: ({ index }) => power.supplies.count(index),
      consumers_without_draw: ({ index }) => countUnknownDraws(power, index),
      site: ({ device }) => device && LOCATION_COLUMNS.site(device),
      floor: ({ device }) => device && LOCATION_COLUMNS.floor(device),
      room: ({ device }) => device && LOCATION_COLUMNS.room(device),
      rack: ({ device }) => createTextCell(device?.rackCode),
      source: ({ node }) => (node.kind === "OUTLET" ? `${node.end.deviceCode}/${node.end.portName}` : undefined),
    },
    readBatches: () => splitIntoBatches(rows),
    total: rows.length,
  };
}

/** Returns columns for the phase loads of feeds and outlets in volt-amperes, and for the most loaded phase. */
function createPhaseColumns(carried: CarriedLoads) {
  const findPhase = ({ index }: SupplyRow, leg: PhaseName) =>
    isLoadUnknown(carried, index) ? undefined : computePhaseFigures(carried, index).find((phase) => phase.leg === leg);
  return {
    phase_a_va: (supply: SupplyRow) => createRoundedCell(findPhase(supply, "A")?.loadVa),
    phase_b_va: (supply: SupplyRow) => createRoundedCell(findPhase(supply, "B")?.loadVa),
    phase_c_va: (supply: SupplyRow) => createRoundedCell(findPhase(supply, "C")?.loadVa),
    worst_leg: ({ index }: SupplyRow) => findBusiestPhase(computePhaseFigures(carried, index), "loadVa"),
    failover_phase_a_va: (supply: SupplyRow) => createRoundedCell(findPhase(supply, "A")?.failoverVa),
    failover_phase_b_va: (supply: SupplyRow) => createRoundedCell(findPhase(supply, "B")?.failoverVa),
    failover_phase_c_va: (supply: SupplyRow) => createRoundedCell(findPhase(supply, "C")?.failoverVa),
    failover_worst_leg: ({ index }: SupplyRow) => findBusiestPhase(computePhaseFigures(carried, index), "failoverVa"),
  };
}

function createSupplyRow(topology: Topology, index: number, node: PowerNode): SupplyRow | undefined {
  if (!isListedSupply(node)) return undefined;
  if (node.kind === "DEVICE") return { index, node, device: node.device };
  return { index, node, device: node.kind === "OUTLET" ? topology.device(node.end.deviceCode) : undefined };
}

/** Lists cooling units with their heat load. */
export function createCoolingListing(topology: Topology): Listing<Crac> {
  const shares = createLazyGetter(() => computeCracSharesByKey(topology));
  const share = ({ code }: Crac) => shares().get(codeKey(code));
  const isLoadKnown = (crac: Crac) => (share(crac)?.loadKw ?? 0) > 0 || share(crac)?.devicesWithoutHeat === 0;
  return {
    getRef: ({ code }) => `crac:${code}`,
    getName: ({ code }) => code,
    columns: {
      name: ({ name }) => createTextCell(name),
      kind: ({ kind }) => kind,
      status: ({ status = "ACTIVE" }) => status,
      medium: ({ medium, kind }) => medium ?? (kind === "CDU" ? "LIQUID" : "AIR"),
      heat_rejection: ({ heatRejection = "FACILITY" }) => heatRejection,
      ...LOCATION_COLUMNS,
      rack: ({ rackCode }) => createTextCell(rackCode),
      serves: ({ serves = [] }) => createTextCell(serves.join(", ")),
      load_kw: (crac) => (isLoadKnown(crac) ? createRoundedCell(share(crac)?.loadKw) : undefined),
      effective_kw: (crac) => createRoundedCell(share(crac)?.effectiveKw),
      rated_kw: ({ sensibleCapacityKw }) => sensibleCapacityKw,
      // A unit that does not run has no usable capacity.
      load_pct: (crac) =>
        (share(crac)?.effectiveKw ?? 0) > 0 && isLoadKnown(crac)
          ? createRoundedCell(share(crac)?.utilizationPct)
          : undefined,
      redundancy_group: ({ redundancyGroup }) => createTextCell(redundancyGroup),
      supply_temp_c: ({ supplyTempC }) => supplyTempC,
      return_temp_c: ({ returnTempC }) => returnTempC,
      manufacturer: ({ manufacturer }) => createTextCell(manufacturer),
      model: ({ model }) => createTextCell(model),
      serial: ({ serial }) => createTextCell(serial),
    },
    readBatches: () => splitIntoBatches(topology.inventory.cracs),
    total: topology.inventory.cracs.length,
  };
}

/** Returns the heat shares of all cooling units. The analysis runs per site, because a unit serves only its site. */
function computeCracSharesByKey(topology: Topology): ReadonlyMap<string, CracShare> {
  const sites = new Set(topology.inventory.cracs.flatMap(({ location }) => location?.siteId ?? []));
  const found = new Map<string, CracShare>();
  for (const site of sites) {
    const scope = parseRef(`site:${site}`);
    if (scope === undefined) continue;
    for (const share of computeScopeShares(topology, scope, {
      basis: "ALLOCATED",
      reserveUnits: 0,
      failedCracCodes: [],
    })) {
      found.set(codeKey(share.crac.code), share);
    }
  }
  return found;
}
