import { useEffect, useState } from "preact/hooks";
import type { Rpcs } from "#gen/datacenter/v1/json.ts";
import { tabValues } from "../../shared/kept_values.ts";

/** RPCs that can return the state during a maintenance window. */
type DuringRpc = {
  [Name in keyof Rpcs]: Rpcs[Name]["request"] extends { during_window?: string } ? Name : never;
}[keyof Rpcs];

const DURING_RPCS: Readonly<Record<DuringRpc, true>> = {
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

const KEY = "planner-during";
const listeners = new Set<() => void>();

/** Code of the maintenance window whose state this tab shows; empty for the current state. */
export const shownWindow = {
  code(): string {
    return tabValues.get(KEY) ?? "";
  },
  set(code: string): void {
    if (code === "") tabValues.remove(KEY);
    else tabValues.set(KEY, code);
    for (const listener of listeners) listener();
  },
};

export function useShownWindow(): string {
  const [code, setCode] = useState(shownWindow.code());
  useEffect(() => {
    const follow = () => setCode(shownWindow.code());
    listeners.add(follow);
    follow();
    return () => void listeners.delete(follow);
  }, []);
  return code;
}

/** Returns the request for the state during a window; unchanged if `code` is "" or the RPC does not support windows. */
export function addShownWindow<Request>(rpc: keyof Rpcs, request: Request, code: string): Request {
  return code === "" || !(rpc in DURING_RPCS) ? request : { ...request, during_window: code };
}
