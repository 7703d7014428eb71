import { expect, test } from "bun:test";
import type { Caller } from "#dc/context.ts";
import { testService } from "../../support/dc/service.ts";

test("a request_id is remembered for a name and its way of signing in", async () => {
  const { call, store } = await testService();
  const as = (authMethod: "token" | "jwt"): Caller => ({
    interface: "REST",
    principal: { name: "alice", roles: ["writer"], authMethod },
  });
  const request_id = "0198c1d2-0000-7000-8000-000000000001";
  const rack = (code: string) => ({ rack: { code, location: { site_id: "S", floor_number: 1 } }, request_id });

  await call("UpsertRack", rack("R1"), as("token"));
  const other = await call("UpsertRack", rack("R2"), as("jwt"));
  const repeated = call("UpsertRack", rack("R3"), as("token"));

  expect(other.rack.code).toBe("R2");
  await expect(repeated).rejects.toMatchObject({ message: expect.stringContaining("was used for another request") });
  await store.close();
});
