import { Topology } from "#dc/analysis/topology.ts";
import { SCREENS, type Screen } from "#dc/model/enum_values.ts";
import { parseRef } from "#dc/model/ref.ts";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import { SCREEN_PICTURES } from "#dc/operations/render.ts";
import type { ReadSession } from "#dc/operations/rpc.ts";
import type { DcStore } from "#dc/ports.ts";
import { SCREEN_DRAWINGS } from "#dc/render/read_options.ts";
import type { Drawing, DrawOptions } from "#dc/render/scene.ts";
import { ams1Store, storeOf } from "./ams1_inventory.ts";
import { oddSite } from "./odd_site.ts";
import { drawOptions } from "./pictures.ts";
import { START } from "./service.ts";

/** What each screen is drawn of: the sample site, and the odd one. */
const SUBJECTS: Readonly<Record<Screen, readonly (readonly [site: "AMS1" | "ODD", ref: string])[]>> = {
  ELEVATION: [
    ["AMS1", "rack:B03"],
    ["ODD", "rack:R0"],
    ["ODD", `rack:${"L".repeat(64)}`],
    ["ODD", "rack:EMPTY"],
    ["ODD", "rack:ALONE"],
  ],
  FLOOR: [
    ["AMS1", "floor:AMS1/1"],
    ["ODD", "floor:ODD/1"],
    ["ODD", "floor:ODD/2"],
    ["ODD", "floor:ODD/3"],
  ],
  THERMAL: [
    ["AMS1", "site:AMS1"],
    ["ODD", "floor:ODD/1"],
    ["ODD", "floor:ODD/2"],
  ],
  POWER: [
    ["AMS1", "feed:AMS1-A08-A"],
    ["AMS1", "device:UPS-A2"],
    ["AMS1", "device:UTIL-A"],
    ["ODD", "device:ODD-UTILITY"],
    ["ODD", "device:ONLY"],
  ],
  CABLE_PATH: [
    ["AMS1", "port:SRV-A01-01/eth0"],
    ["AMS1", "port:SRV-A01-01/psu1"],
    ["ODD", `port:ODD-0-0/</text>"'&`],
  ],
  FABRIC: [
    ["AMS1", "fabric:FAB1"],
    ["ODD", "fabric:ODD-FABRIC"],
  ],
};

export interface ScreenCase {
  readonly screen: Screen;
  readonly site: "AMS1" | "ODD";
  readonly ref: string;
}

export const SCREEN_CASES: readonly ScreenCase[] = SCREENS.flatMap((screen) =>
  SUBJECTS[screen].map(([site, ref]) => ({ screen, site, ref })),
);

let odd: Promise<DcStore> | undefined;

function storeFor(site: "AMS1" | "ODD"): Promise<DcStore> {
  if (site === "AMS1") return ams1Store();
  odd ??= storeOf(oddSite);
  return odd;
}

/** What is drawn when nobody asks for anything else. */
export async function usualDrawing(asked: ScreenCase): Promise<Drawing> {
  const draw = await drawer(asked);
  return draw({});
}

/** The picture in every colouring and view that the screen has. */
export async function drawingsOf(asked: ScreenCase): Promise<readonly (readonly [string, Drawing])[]> {
  const { colorings, views } = SCREEN_DRAWINGS[asked.screen];
  const draw = await drawer(asked);
  return colorings.flatMap((coloring) =>
    [undefined, ...views].map((view) => [`${coloring} ${view}`, draw({ coloring, view })] as const),
  );
}

async function drawer({ screen, site, ref }: ScreenCase): Promise<(options: Partial<DrawOptions>) => Drawing> {
  const draw = await SCREEN_DRAWINGS[screen].load();
  const subject = parseRef(ref);
  if (subject === undefined) throw new Error(`${ref} is no reference`);
  const store = await storeFor(site);
  const shown = await store.read(async (reader) => {
    const topology = Topology.createFromInventory(await reader.inventory());
    const context = {} as ReadSession["context"];
    return SCREEN_PICTURES[screen](
      subject as never,
      {
        context,
        reader,
        scheduler: new CooperativeScheduler(),
        topology: async () => topology,
        now: START,
        lapsesAt: () => {},
      },
      screen === "FLOOR" ? "RISK" : "HEALTH",
    );
  });
  return (options) => draw(shown as never, drawOptions(options));
}
