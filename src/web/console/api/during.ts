import { useEffect, useState } from "preact/hooks";
import type { Rpcs } from "#gen/datacenter/v1/json.ts";
import { tabValues } from "../../shared/kept_values.ts";

/** RPCs that answer as during a window. */
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

/** The window as during which the pages of this tab are shown; empty for now. */
export const during = {
  code(): string {
    return tabValues.get(KEY) ?? "";
  },
  set(code: string): void {
    if (code === "") tabValues.remove(KEY);
    else tabValues.set(KEY, code);
    for (const listener of listeners) listener();
  },
};

export function useDuring(): string {
  const [code, setCode] = useState(during.code());
  useEffect(() => {
    const follow = () => setCode(during.code());
    listeners.add(follow);
    follow();
    return () => void listeners.delete(follow);
  }, []);
  return code;
}

/** A request of an RPC as during a window. */
export function asDuring<Request>(rpc: keyof Rpcs, request: Request, code: string): Request {
  return code === "" || !(rpc in DURING_RPCS) ? request : { ...request, during_window: code };
}
