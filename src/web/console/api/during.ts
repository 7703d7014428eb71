import type { Rpcs } from "#gen/datacenter/v1/json.ts";
import { tabValues } from "../../shared/kept_values.ts";
import { Listeners, useCurrentValue } from "../../shared/listeners.ts";

/** RPCs that can return the state during a maintenance window. */
type DuringWindowRpc = {
  [Name in keyof Rpcs]: Rpcs[Name]["request"] extends { during_window?: string } ? Name : never;
}[keyof Rpcs];

const DURING_WINDOW_RPCS: Readonly<Record<DuringWindowRpc, true>> = {
  FloorPlan: true,
  GetRack: true,
  GetDevice: true,
  ThermalHeadroom: true,
  PowerBlastRadius: true,
  "datacenter.v1.PlanningService/RehearseFailures": true,
  "datacenter.v1.PlanningService/GetCapacity": true,
  "datacenter.v1.PlanningService/FindPlacement": true,
  "datacenter.v1.PlanningService/ListInventory": true,
};

const SHOWN_WINDOW_KEY = "planner-during";
const listeners = new Listeners();

/** Code of the maintenance window whose state this tab shows; empty for the current state. */
export const shownWindow = {
  code(): string {
    return tabValues.get(SHOWN_WINDOW_KEY) ?? "";
  },
  set(code: string): void {
    if (code === "") tabValues.remove(SHOWN_WINDOW_KEY);
    else tabValues.set(SHOWN_WINDOW_KEY, code);
    listeners.notify();
  },
};

export function useShownWindow(): string {
  return useCurrentValue(shownWindow.code, listeners.subscribe);
}

/** Returns the request for the state during a window; unchanged if `code` is "" or the RPC does not support windows. */
export function addShownWindow<Request>(rpc: keyof Rpcs, request: Request, code: string): Request {
  return code === "" || !(rpc in DURING_WINDOW_RPCS) ? request : { ...request, during_window: code };
}
