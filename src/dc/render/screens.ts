import type { Coloring, RenderView, Screen } from "#dc/model/enum_values.ts";
import type { FloorPlanResponse, GetRackResponse } from "#gen/datacenter/v1/datacenter_pb.ts";
import type { CablePicture } from "./cable/picture.ts";
import type { DrawScreen } from "./drawing.ts";
import type { FabricPicture } from "./fabric/picture.ts";
import type { PowerFailure } from "./power/failure.ts";
import type { ThermalPicture } from "./thermal/thermal.ts";

/** Input of each screen's drawing: its reply, or the complete analysis if the reply limits its number of items. */
export interface ScreenReplies {
  readonly ELEVATION: GetRackResponse;
  readonly CABLE_PATH: CablePicture;
  readonly POWER: PowerFailure;
  readonly THERMAL: ThermalPicture;
  readonly FABRIC: FabricPicture;
  readonly FLOOR: FloorPlanResponse;
}

export interface ScreenDrawing<Reply> {
  /** Supported colourings; the first one is the default. */
  readonly colorings: readonly [Coloring, ...Coloring[]];
  /** Views that a request may select; the drawing selects one if the request does not. */
  readonly views: readonly RenderView[];
  /** Loads the drawing's module on first use, so that a service that draws nothing does not load it. */
  readonly load: () => Promise<DrawScreen<Reply>>;
}

export const SCREEN_DRAWINGS: { readonly [Name in Screen]: ScreenDrawing<ScreenReplies[Name]> } = {
  ELEVATION: {
    colorings: ["ROLE", "STATUS", "HEALTH", "POWER", "NONE"],
    views: ["BOTH", "FRONT", "REAR", "COMPACT", "FULL"],
    load: async () => (await import("./elevation/elevation.ts")).drawElevation,
  },
  CABLE_PATH: {
    colorings: ["ROLE", "STATUS", "NONE"],
    views: ["FULL", "COMPACT"],
    load: async () => (await import("./cable/draw.ts")).drawCablePath,
  },
  POWER: {
    colorings: ["POWER", "STATUS", "ROLE", "UTILIZATION", "NONE"],
    views: ["FULL", "COMPACT"],
    load: async () => (await import("./power/draw.ts")).drawPower,
  },
  THERMAL: {
    colorings: ["THERMAL", "HEALTH", "UTILIZATION", "NONE"],
    views: ["FULL", "COMPACT"],
    load: async () => (await import("./thermal/thermal.ts")).drawThermal,
  },
  FABRIC: {
    colorings: ["UTILIZATION", "HEALTH", "STATUS", "ROLE", "NONE"],
    views: ["FULL", "COMPACT"],
    load: async () => (await import("./fabric/draw.ts")).drawFabric,
  },
  FLOOR: {
    colorings: ["HEALTH", "RISK", "POWER", "THERMAL", "UTILIZATION", "NONE"],
    views: ["FULL"],
    load: async () => (await import("./floor/floor_plan.ts")).drawFloorPlan,
  },
};
