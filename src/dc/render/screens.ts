import type { FloorPlanResponse, GetRackResponse } from "#gen/datacenter/v1/datacenter_pb.ts";
import type { Draw } from "./drawing.ts";
import type { Coloring, RenderView, Screen } from "./options.ts";
import type { ThermalPicture } from "./thermal/thermal.ts";

/** What each screen draws. */
export interface ScreenReplies {
  readonly ELEVATION: GetRackResponse;
  readonly THERMAL: ThermalPicture;
  readonly FLOOR: FloorPlanResponse;
}

export interface ScreenDrawing<Reply> {
  /** What colours can mean; the first one is meant when nobody says. */
  readonly colorings: readonly [Coloring, ...Coloring[]];
  /** What can be shown; the first one is shown when nobody says. */
  readonly views: readonly [RenderView, ...RenderView[]];
  /** Loaded when first drawn, so that a service that draws nothing loads nothing. */
  readonly load: () => Promise<Draw<Reply>>;
}

/** Every screen that is drawn. */
export const SCREEN_DRAWINGS: { readonly [Name in keyof ScreenReplies & Screen]: ScreenDrawing<ScreenReplies[Name]> } =
  {
    ELEVATION: {
      colorings: ["ROLE", "STATUS", "HEALTH", "POWER", "NONE"],
      views: ["BOTH", "FRONT", "REAR", "COMPACT", "FULL"],
      load: async () => (await import("./elevation/elevation.ts")).drawElevation,
    },
    THERMAL: {
      colorings: ["THERMAL", "HEALTH", "UTILIZATION", "NONE"],
      views: ["FULL", "COMPACT"],
      load: async () => (await import("./thermal/thermal.ts")).drawThermal,
    },
    FLOOR: {
      colorings: ["HEALTH", "POWER", "THERMAL", "UTILIZATION", "NONE"],
      views: ["FULL"],
      load: async () => (await import("./floor/floor_plan.ts")).drawFloorPlan,
    },
  };
