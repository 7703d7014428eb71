/** What the benches ask a site of 2,000 racks; questions differ from call to call, so that kept answers do not count. */

const SVG = { format: "RENDER_FORMAT_SVG" };

export interface Question {
  readonly name: string;
  readonly rpc: string;
  readonly wantedMs: number;
  readonly calls?: number;
  readonly ask: (call: number) => object;
  /** What of the answer tells how large it is. */
  readonly size?: (answer: Answer) => string;
}

// biome-ignore lint/suspicious/noExplicitAny: looks into answers of every shape
type Answer = any;

const two = (number: number) => String(number).padStart(2, "0");
const hall = (call: number) => `H${two(2 + (call % 49))}`;
export const rack = (call: number) => `${hall(call)}-${"ABC"[call % 3]}${two(1 + (call % 8))}`;
const side = (call: number) => "AB"[call % 2];
/** A picture in a width of its own. */
const wide = (call: number) => ({ ...SVG, width_px: 1000 + call });
const svgSize = ({ render }: Answer) => `${Math.round((render?.text ?? "").length / 1024)} KiB of SVG`;
const reach = ({ impact, ...rest }: Answer) =>
  `${impact.devices_offline} off, ${impact.devices_degraded} degraded, ${svgSize(rest)}`;
export const power = (sources: readonly string[], call: number) => ({
  source_ref: sources[0],
  additional_source_refs: sources.slice(1),
  max_items: 1000 + call,
  render: SVG,
});
const everyUtility = (call: number) =>
  [...Array(50).keys()].map((at) => `device:UTIL-${at === 0 ? "" : `H${two(at + 1)}-`}${side(call)}`);

export const QUESTIONS: readonly Question[] = [
  {
    name: "GetDevice of a server",
    rpc: "GetDevice",
    wantedMs: 5,
    calls: 300,
    ask: (call) => ({ code: `SRV-${rack(call)}-05` }),
  },
  {
    name: "GetDevice of a switch with 78 ports",
    rpc: "GetDevice",
    wantedMs: 5,
    calls: 300,
    ask: (call) => ({ code: `LEAF-${rack(call)}-1` }),
  },
  {
    name: "GetPort",
    rpc: "GetPort",
    wantedMs: 5,
    calls: 300,
    ask: (call) => ({ port_ref: `port:LEAF-${rack(call)}-1/Ethernet1` }),
  },
  {
    name: "GetRack without a picture",
    rpc: "GetRack",
    wantedMs: 5,
    ask: (call) => ({ code: rack(call), render: { format: "RENDER_FORMAT_NONE" } }),
  },
  {
    name: "SearchDevices with counts",
    rpc: "SearchDevices",
    wantedMs: 50,
    ask: (call) => ({ filter: { query: `${rack(call).slice(0, 6)}` }, page_size: 50 + (call % 50) }),
    size: ({ total_count }) => `${total_count} found`,
  },
  { name: "GetRack, SVG", rpc: "GetRack", wantedMs: 30, ask: (call) => ({ code: rack(call), render: SVG }) },
  {
    name: "TraceCablePath, SVG",
    rpc: "TraceCablePath",
    wantedMs: 20,
    ask: (call) => ({ port_ref: `port:LEAF-${rack(call)}-1/psu1`, render: SVG }),
    size: ({ paths, ...rest }) => `${paths[0].hops.length} hops, ${svgSize(rest)}`,
  },
  {
    name: "PowerBlastRadius of a rack's feed",
    rpc: "PowerBlastRadius",
    wantedMs: 20,
    ask: (call) => power([`feed:AMS1-${rack(call)}-${side(call)}`], call),
    size: reach,
  },
  {
    name: "PowerBlastRadius of a UPS",
    rpc: "PowerBlastRadius",
    wantedMs: 60,
    ask: (call) => power([`device:UPS-${hall(call)}-${side(call)}1`], call),
    size: reach,
  },
  {
    name: "PowerBlastRadius of a hall's utility",
    rpc: "PowerBlastRadius",
    wantedMs: 250,
    ask: (call) => power([`device:UTIL-${hall(call)}-${side(call)}`], call),
    size: reach,
  },
  {
    name: "PowerBlastRadius of all 50 utilities of a side",
    rpc: "PowerBlastRadius",
    wantedMs: 250,
    calls: 20,
    ask: (call) => power(everyUtility(call), call),
    size: reach,
  },
  {
    name: "ThermalHeadroom of a floor",
    rpc: "ThermalHeadroom",
    wantedMs: 100,
    calls: 30,
    ask: (call) => ({ scope_ref: `floor:AMS1/${2 + (call % 12)}`, reserve_units: call % 4, render: wide(call) }),
  },
  {
    name: "FloorPlan, 160 racks",
    rpc: "FloorPlan",
    wantedMs: 150,
    calls: 30,
    ask: (call) => ({ floor_ref: `floor:AMS1/${2 + (call % 12)}`, render: wide(call) }),
  },
  {
    name: "FabricTopology of a hall",
    rpc: "FabricTopology",
    wantedMs: 150,
    calls: 30,
    ask: (call) => ({ fabric_id: `FAB${2 + (call % 49)}`, render: wide(call) }),
  },
  {
    name: "GetRack, PNG",
    rpc: "GetRack",
    wantedMs: 300,
    calls: 30,
    ask: (call) => ({ code: rack(call + 7), render: { format: "RENDER_FORMAT_PNG" } }),
  },
];
