import type { Device, Port } from "#dc/model/resources.ts";
import type { FibreWorld } from "./fibre_world.ts";

// A plain, slow model of the laws of cable paths. It labels every strand of glass at a port with four numbers, walks each
// strand by itself, and only then asks what the strands of a port have in common. It shares no code with the product.

const DEPTH = 4;
const WIDEST = 4;

/** A position on the stack; a free one was chosen by the model and not by a port on the way. */
interface Label {
  readonly value: number;
  readonly free: boolean;
}

interface Walked {
  readonly kind: "COMPLETE" | "OPEN" | "UNCONNECTED" | "LOOP" | "NO_STRAND" | "DEEP";
  readonly port: string;
  readonly stack: readonly Label[];
  /** The free positions that ports on the way asked for. */
  readonly used: readonly number[];
}

interface State {
  at: string;
  stack: readonly Label[];
  cabled: boolean;
  readonly used: number[];
}

export interface ModelPath {
  readonly status: string;
  /** The two ends in order of their names, "-" for none. */
  readonly ends: readonly string[];
}

export class FibreModel {
  private readonly ports = new Map<string, { readonly device: Device; readonly port: Port }>();
  private readonly cableTo = new Map<string, string>();

  constructor({ devices, cables }: FibreWorld) {
    for (const device of devices) {
      for (const port of device.ports ?? []) this.ports.set(`${device.code}/${port.name}`, { device, port });
    }
    for (const { a, b } of cables) {
      this.cableTo.set(`${a.deviceCode}/${a.portName}`, `${b.deviceCode}/${b.portName}`);
      this.cableTo.set(`${b.deviceCode}/${b.portName}`, `${a.deviceCode}/${a.portName}`);
    }
  }

  /** Paths from an end port, or undefined if its strands are nested deeper than the model goes. */
  answer(at: string, follow: boolean): readonly ModelPath[] | undefined {
    const connector = this.connector(at);
    if (connector === undefined) return this.uncabled(at, follow);
    const strands = this.strands(connector.port, connector.labels);
    const met = this.meets(at);
    if (strands === undefined || met === undefined) return undefined;
    if (met !== "") return [{ status: "COMPLETE", ends: [at, met].toSorted() }];
    if (connector.port !== at && strands.some((one) => this.nameOf(one)?.more === true)) {
      // A channel that no port on the way asked for is still on the stack at the far port.
      const isUnasked = strands.every(({ stack }) => connector.labels.some((label) => stack.includes(label)));
      if (!follow || isUnasked || this.meets(connector.port) !== "") return this.answer(connector.port, follow);
    }
    const whole = connector.port === at ? this.wholePath(this.whole(at)) : [];
    if (whole === undefined || whole.length > 0) return whole;
    if (!follow) return [{ status: this.statusOfAll(connector.port, strands), ends: [at, `-${at}`].toSorted() }];
    return unique(
      strands.map((one) => {
        const isWhole = connector.port === at;
        const own = isWhole ? (this.childOf(at, one.used[0]) ?? at) : at;
        // A position of a divided port that is none of its channels leads nowhere inside it.
        const isLost = isWhole && own === at && one.used.length > 0 && this.riders(at).length > 0;
        const name = isLost ? undefined : this.nameOf(one);
        const status = isLost && one.kind === "COMPLETE" ? "OPEN" : this.statusOf(one);
        return { status, ends: [own, name?.port ?? `-${one.port}`].toSorted() };
      }),
    );
  }

  /** A port without a cable, some of whose channels may have one. */
  private uncabled(at: string, follow: boolean): readonly ModelPath[] | undefined {
    const { device, port } = this.get(at);
    const legs = (device.ports ?? []).filter(
      ({ parentPort, name }) => parentPort === port.name && this.cableTo.has(`${device.code}/${name}`),
    );
    if (legs.length === 0) return [{ status: "UNCONNECTED", ends: [at, `-${at}`].toSorted() }];
    const whole = this.wholePath(at);
    if (whole === undefined || whole.length > 0) return whole;
    if (!follow) return [{ status: "SPLIT", ends: [at, `-${at}`].toSorted() }];
    const found = legs.map(({ name }) => this.answer(`${device.code}/${name}`, true));
    return found.includes(undefined) ? undefined : found.flatMap((one) => one ?? []);
  }

  /** The port whose channel with a cable of its own a port is, or the port. */
  private whole(at: string): string {
    const { device, port } = this.get(at);
    return port.channel === undefined || !this.cableTo.has(at) ? at : `${device.code}/${port.parentPort}`;
  }

  /** The ports, as wholes, that the strands of a port or of its channels meet; undefined if too deep. */
  private wholeFarEnds(at: string): ReadonlySet<string> | undefined {
    const { device, port } = this.get(at);
    const own = this.connector(at);
    const legs = (device.ports ?? [])
      .filter(({ parentPort, channel }) => parentPort === port.name && channel !== undefined)
      .map(({ name }) => `${device.code}/${name}`)
      .filter((leg) => this.cableTo.has(leg));
    const found = new Set<string>();
    if (own === undefined && legs.length < 2) return found;
    for (const from of own === undefined ? legs.flatMap((leg) => this.connector(leg) ?? []) : [own]) {
      const strands = this.strands(from.port, from.labels);
      if (strands === undefined) return undefined;
      for (const one of strands) found.add(this.physical(one) === undefined ? "-" : this.whole(one.port));
    }
    return found;
  }

  /** The path of a port one of whose ends has channels with cables of their own, if all strands join the two. */
  private wholePath(at: string): readonly ModelPath[] | undefined {
    const there = this.wholeFarEnds(at);
    const [far = "-"] = there ?? [];
    if (there === undefined) return undefined;
    if (there.size !== 1 || far === "-" || (this.cableTo.has(at) && this.cableTo.has(far))) return [];
    const back = this.wholeFarEnds(far);
    if (back === undefined) return undefined;
    return back.size === 1 && back.has(at) ? [{ status: "COMPLETE", ends: [at, far].toSorted() }] : [];
  }

  /** The state of strands that do not all meet one port. */
  private statusOfAll(from: string, strands: readonly Walked[]): string {
    const [only] = strands;
    if (strands.length === 1 && only !== undefined && this.nameOf(only) === undefined) return this.statusOf(only);
    const isMapped = strands.length === 1 || strands.some((one) => one.kind !== "OPEN" || !this.partsAt(from, one));
    return isMapped ? "SPLIT" : "OPEN";
  }

  /** Whether a strand that chose one position ended inside the very port where it chose. */
  private partsAt(from: string, { port, used }: Walked): boolean {
    return used.length === 1 && this.cableTo.get(from) === port;
  }

  /** The one port that all strands of a port meet with all of its own: "" for none, undefined if too deep. */
  private meets(at: string): string | undefined {
    const names = this.meetsBy(at, "name");
    return names === "" ? this.meetsBy(at, "port") : names;
  }

  private meetsBy(at: string, by: "name" | "port"): string | undefined {
    const connector = this.connector(at);
    if (connector === undefined || (by === "port" && connector.port !== at)) return "";
    const there = this.farEnds(connector, by);
    if (there === undefined) return undefined;
    const [far] = there;
    if (there.size !== 1 || far === undefined || far === "-") return "";
    const back = this.connector(far);
    const here = back && this.farEnds(back, by);
    if (here === undefined) return undefined;
    return here.size === 1 && here.has(at) ? far : "";
  }

  private farEnds(
    { port, labels }: { readonly port: string; readonly labels: readonly Label[] },
    by: "name" | "port",
  ): ReadonlySet<string> | undefined {
    const strands = this.strands(port, labels);
    if (strands === undefined) return undefined;
    return new Set(strands.map((one) => (by === "name" ? this.nameOf(one)?.port : this.physical(one)) ?? "-"));
  }

  private physical(one: Walked): string | undefined {
    return this.nameOf(one) === undefined ? undefined : one.port;
  }

  private statusOf(one: Walked): string {
    return one.kind === "COMPLETE" && this.nameOf(one) === undefined ? "OPEN" : one.kind;
  }

  /** The port that a strand meets, named by its channel, and whether that port has more strands. */
  private nameOf({ kind, port, stack }: Walked): { readonly port: string; readonly more: boolean } | undefined {
    if (kind !== "COMPLETE") return undefined;
    const fixed = stack.filter(({ free }) => !free);
    const riders = this.riders(port);
    const [top] = fixed;
    if (top === undefined || riders.length === 0) return { port, more: fixed.length > 0 };
    const rider = riders.find(({ channel }) => channel === top.value);
    if (rider === undefined) return undefined;
    return { port: `${this.get(port).device.code}/${rider.name}`, more: fixed.length > 1 };
  }

  private childOf(port: string, channel: number | undefined): string | undefined {
    const rider = this.riders(port).find((one) => one.channel === channel);
    return rider && `${this.get(port).device.code}/${rider.name}`;
  }

  private riders(at: string): readonly Port[] {
    const { device, port } = this.get(at);
    return (device.ports ?? []).filter(
      ({ name, parentPort }) => parentPort === port.name && !this.cableTo.has(`${device.code}/${name}`),
    );
  }

  private connector(at: string): { readonly port: string; readonly labels: readonly Label[] } | undefined {
    if (this.cableTo.has(at)) return { port: at, labels: [] };
    const { device, port } = this.get(at);
    const parent = `${device.code}/${port.parentPort}`;
    if (port.parentPort === undefined || !this.cableTo.has(parent)) return undefined;
    return { port: parent, labels: [{ value: port.channel ?? 0, free: false }] };
  }

  /** Every strand of a connector once. */
  private strands(at: string, labels: readonly Label[]): readonly Walked[] | undefined {
    const found = new Map<string, Walked>();
    for (const tuple of tuples()) {
      const walked = this.walk(at, [...labels, ...tuple]);
      if (walked.kind === "DEEP") return undefined;
      if (walked.kind !== "NO_STRAND") found.set(walked.used.join("."), walked);
    }
    return [...found.values()];
  }

  private walk(start: string, labels: readonly Label[]): Walked {
    const state: State = { at: start, stack: labels, cabled: false, used: [] };
    const seen = new Set<string>();
    let kind: Walked["kind"] | undefined;
    while (kind === undefined) {
      const key = `${state.at} ${state.stack.map(({ value }) => value).join()}`;
      kind = seen.has(key) ? "LOOP" : seen.size > 500 ? "DEEP" : this.step(state);
      seen.add(key);
    }
    return { kind, port: state.at, stack: state.stack, used: state.used };
  }

  /** Moves along a cable and through the device behind it, or says how the strand ends. */
  private step(state: State): Walked["kind"] | undefined {
    const far = this.cableTo.get(state.at);
    if (far === undefined) return state.cabled ? "OPEN" : "UNCONNECTED";
    state.at = far;
    state.cabled = true;
    return this.isEnd(far) ? "COMPLETE" : this.pass(state);
  }

  /** Moves through a passive device, or says how the strand ends in it. */
  private pass(state: State): Walked["kind"] | undefined {
    const { device, port } = this.get(state.at);
    const width = port.positions ?? 1;
    let position = 1;
    if (width > 1) {
      const [top, ...rest] = state.stack;
      if (top === undefined) return "DEEP";
      if (top.free) state.used.push(top.value);
      if (top.value > width) return top.free ? "NO_STRAND" : "OPEN";
      position = top.value;
      state.stack = rest;
    }
    const next = passages(device).find(({ from, at }) => from === port && at === position);
    if (next === undefined) return "OPEN";
    state.at = `${device.code}/${next.to.name}`;
    if ((next.to.positions ?? 1) > 1) state.stack = [{ value: next.position, free: false }, ...state.stack];
    return undefined;
  }

  private isEnd(at: string): boolean {
    return this.get(at).port.kind === "NETWORK";
  }

  private get(at: string) {
    const found = this.ports.get(at);
    if (found === undefined) throw new Error(`No port ${at}`);
    return found;
  }
}

/** Where each position of a passive device leads, in both directions. */
function passages({ ports = [] }: Device) {
  return ports.flatMap((front) =>
    (front.mappings ?? []).flatMap(({ frontPosition, rearPort, rearPosition }) =>
      ports
        .filter(({ name }) => name === rearPort)
        .flatMap((rear) => [
          { from: front, at: frontPosition, to: rear, position: rearPosition },
          { from: rear, at: rearPosition, to: front, position: frontPosition },
        ]),
    ),
  );
}

function* tuples(): Generator<readonly Label[]> {
  for (let number = 0; number < WIDEST ** DEPTH; number += 1) {
    yield Array.from({ length: DEPTH }, (_, index) => ({
      value: 1 + (Math.floor(number / WIDEST ** (DEPTH - 1 - index)) % WIDEST),
      free: true,
    }));
  }
}

function unique(paths: readonly ModelPath[]): readonly ModelPath[] {
  return [...new Map(paths.map((path) => [`${path.status} ${path.ends.join()}`, path])).values()];
}
