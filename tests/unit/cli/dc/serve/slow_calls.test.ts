import { expect, test } from "bun:test";
import { SlowCallLogger } from "#cli/dc/serve/serve.ts";

test("SlowCalls tells of a method once a minute, with how many there were between", () => {
  const said: string[] = [];
  const slow = new SlowCallLogger((message) => said.push(message));
  const call = (method: string, seconds: number) => ({ method, interface: "GRPC", outcome: "ok", seconds }) as const;

  slow.observe(call("GetRack", 0.5), 0);
  slow.observe(call("GetRack", 3), 0);
  slow.observe(call("FloorPlan", 2.04), 1000);
  for (let time = 1000; time < 60_000; time += 10_000) slow.observe(call("GetRack", 9), time);
  slow.observe(call("GetRack", 4), 60_000);
  slow.observe(call("GetRack", 4), 130_000);

  expect(said).toEqual([
    "GetRack over GRPC took 3.0 s (ok)",
    "FloorPlan over GRPC took 2.0 s (ok)",
    "GetRack over GRPC took 4.0 s (ok); 6 more since the last such line",
    "GetRack over GRPC took 4.0 s (ok)",
  ]);
});
